import assert from 'node:assert/strict';
import { type Outcome, outcomeFrom } from './oracle.ts';

/** One part of a response; the later ones (`incremental`) are merged into the first. */
interface Part {
  data?: unknown;
  errors?: { path?: (string | number)[]; extensions?: Record<string, unknown> }[];
  path?: (string | number)[];
  label?: string;
  incremental?: Part[];
  hasNext?: boolean;
}

type Tree = Record<string | number, unknown>;

/** Parses a response of any media type strictly, and merges its parts. */
export async function readOutcome(response: Response): Promise<Outcome> {
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  assert.equal(response.status, 200, text);
  if (type.startsWith('multipart/mixed')) return assembled(multipartFrom(text, type));
  if (type.startsWith('text/event-stream')) return assembled(eventsFrom(text));
  assert.match(type, /^application\/json\b/);
  return outcomeFrom(JSON.parse(text));
}

/** RFC 2046, 5.1.1: delimiters on lines of their own, each part with its fields, a blank line and its body. */
function multipartFrom(text: string, type: string): Part[] {
  const boundary = type.match(/boundary="([^"]+)"/)?.[1];
  const [preamble, ...pieces] = text.split(`\r\n--${boundary}`);
  assert.equal(preamble, '');
  assert.equal(pieces.pop(), '--\r\n');
  return pieces.map((piece) => {
    const [, length, body = ''] =
      piece.match(
        /^\r\nContent-Type: application\/json; charset=utf-8\r\nContent-Length: (\d+)\r\n\r\n(.*)$/s,
      ) ?? assert.fail(`not a part: ${piece}`);
    assert.equal(Buffer.byteLength(body), Number(length));
    return JSON.parse(body);
  });
}

/** GraphQL over SSE, distinct connections mode: `next` events, then one `complete`. Comments keep it alive. */
function eventsFrom(text: string): Part[] {
  const events = text.split('\n\n').filter((event) => event !== ':');
  assert.equal(events.pop(), '');
  assert.equal(events.pop(), 'event: complete\ndata:');
  return events.map((event) => {
    const [, body = ''] = event.match(/^event: next\ndata: (.*)$/) ?? assert.fail(`not an event: ${event}`);
    return JSON.parse(body);
  });
}

function assembled([first, ...later]: Part[]): Outcome {
  assert(first?.data !== undefined);
  assert.deepEqual(
    [first, ...later].map(({ hasNext = false }) => hasNext),
    [...later.map(() => true), false],
  );
  const patches = later.flatMap(({ incremental = [] }) => incremental);
  for (const { path = [], data } of patches) {
    const place = path.reduce((tree, step) => treeFrom(tree[step]), treeFrom(first.data));
    lay(place, treeFrom(data));
  }
  const errors = [first, ...patches].flatMap((part) => part.errors ?? []);
  return outcomeFrom({ data: first.data, errors });
}

function treeFrom(value: unknown): Tree {
  assert(typeof value === 'object' && value !== null);
  return value as Tree;
}

/** A part may repeat fields; then both values are equal. */
function lay(place: Tree, data: Tree): void {
  for (const [key, value] of Object.entries(data)) {
    const there = place[key];
    if (typeof there === 'object' && there !== null && value !== null) lay(treeFrom(there), treeFrom(value));
    else if (key in place) assert.deepEqual(value, there);
    else place[key] = value;
  }
}
