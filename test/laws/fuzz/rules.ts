import { homedir, hostname, tmpdir } from 'node:os';
import { expect } from 'vitest';
import { inside } from '../../faults/leaks.ts';
import { tracesOf } from '../../support/canary.ts';

/** For the response to a rejected document. */
const MAX_REJECTION_BYTES = 16_384;
const MAX_ERRORS = 10;

export interface ReadResponse {
  status: number;
  fields: ReadonlyMap<string, string>;
  head: string;
  body: string;
  isWhole: boolean;
}

/** Checks the response to any request with `key`. */
export function expectNoLeak(response: ReadResponse, key: string, upstreamUrl: string): void {
  const { status, fields, head, body } = response;
  const text = `${head}\n\n${body}`;
  expect(status, text).toBeLessThan(500);
  expect(leaksOf(key, text), text).toEqual([]);
  const type = fields.get('content-type') ?? '';
  expect(fields.get('cache-control'), text).toBe('no-store');
  const folders = [process.cwd(), homedir(), tmpdir()].filter((folder) => folder.length > 1);
  const names = [new URL(upstreamUrl).host, ...folders.map((folder) => `${folder}/`), hostname()];
  // A shorter one, such as a short host name, occurs in documents by chance.
  const words = names.filter((name) => name.length > 4 && text.includes(name));
  expect(words, text).toEqual([]);
  // The page and its assets are code and name files.
  if (!isData(type)) return;
  for (const pattern of inside) expect(text).not.toMatch(pattern);
  if (response.isWhole) for (const part of partsFrom(body, type)) expectBriefRejection(part, body);
}

/** Nine consecutive characters are enough to identify a key. */
export function leaksOf(key: string, text: string): string[] {
  const windows = Array.from({ length: key.length - 8 }, (_, n) => key.slice(n, n + 9));
  return windows.filter((part) => tracesOf(part).some((trace) => text.includes(trace)));
}

interface Part {
  data?: unknown;
  incremental?: unknown;
  errors?: unknown[];
}

function isData(type: string): boolean {
  return /^(application\/(graphql-response\+)?json|multipart\/mixed|text\/event-stream)\b/.test(type);
}

/** The JSON documents of a response in any format. */
function partsFrom(body: string, type: string): Part[] {
  // Only CR and LF end a line: JSON may contain other line terminators of JavaScript.
  const lines = body.split(/[\r\n]+/);
  if (type.startsWith('multipart/')) return lines.filter((line) => line.startsWith('{')).map(parsed);
  if (type.startsWith('text/event-stream')) {
    return lines.flatMap((line) => (line.startsWith('data: ') ? [parsed(line.slice(6))] : []));
  }
  // The response to a HEAD has none.
  return body === '' ? [] : [parsed(body)];
}

function parsed(json: string): Part {
  return JSON.parse(json) as Part;
}

function expectBriefRejection({ data, incremental, errors = [] }: Part, body: string): void {
  if (data !== undefined || incremental !== undefined) return;
  expect(errors.length, body).toBeLessThanOrEqual(MAX_ERRORS);
  if (errors.length > 0) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_REJECTION_BYTES);
}
