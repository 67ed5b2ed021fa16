import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isObject, parse } from '../../upstream/json.ts';
import type { Grouping } from './arguments.ts';

/** Longest line that is parsed, in characters: far longer than any that the gateway writes. */
const MAX_LINE = 65_536;

/** The line of an operation in the log of a gateway. */
export interface OperationLine {
  /** That of its document and its name: see `idOf`. Null where it has no document. */
  id: string | null;
  /** The names that metrics have for its groups. */
  groups: Readonly<Record<Grouping, string>>;
  isRejected: boolean;
  /** The REST calls that were sent. */
  calls: number;
}

/** Takes the operations of a log, and the fields that the operations of documents select. */
export interface LogHandler {
  onOperation(line: OperationLine): void;
  onDocument(id: string, fields: readonly unknown[]): void;
}

/**
 * Reads the log of a gateway, from a file or, for `-`, from standard input, with a bounded amount of memory. It
 * may be compressed by gzip, and in UTF-16 with a byte order mark. Returns how many lines are of a gateway, and
 * how many are not. Rejects with the error of the system where it cannot be read.
 */
export async function readLog(path: string, handler: LogHandler) {
  const input = path === '-' ? process.stdin : createReadStream(path);
  const lines = { own: 0, foreign: 0 };
  let rest = '';
  let isTooLong = false;

  function onText(text: string): void {
    const record = isTooLong ? undefined : recordFrom(text);
    if (record) passOn(record, handler);
    if (record) lines.own += 1;
    else if (isTooLong || text.trim() !== '') lines.foreign += 1;
    isTooLong = false;
  }

  for await (const chunk of textsOf(input)) {
    const texts = `${rest}${chunk}`.split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) onText(text);
    if (rest.length <= MAX_LINE) continue;
    isTooLong = true;
    rest = '';
  }
  onText(rest);
  return lines;
}

type Bytes = AsyncIterable<Buffer>;

/** The text of a log, in pieces. */
async function* textsOf(input: Bytes): AsyncGenerator<string> {
  const { mark, all } = await beginningOf(input);
  // RFC 1952: the mark of gzip.
  const plain = await beginningOf(mark === '1f8b' ? pipeline(all, createGunzip(), () => {}) : all);
  const encodings: { [mark: string]: string } = { fffe: 'utf-16le', feff: 'utf-16be' };
  const decoder = new TextDecoder(encodings[plain.mark]);
  for await (const bytes of plain.all) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

/** The first two bytes, in hex, and all bytes. */
async function beginningOf(input: Bytes): Promise<{ mark: string; all: Bytes }> {
  const iterator = input[Symbol.asyncIterator]();
  let first: Buffer = Buffer.alloc(0);
  for (let isDone = false; first.length < 2 && !isDone; ) {
    const next = await iterator.next();
    isDone = next.done === true;
    if (!next.done) first = Buffer.concat([first, next.value]);
  }
  async function* all() {
    yield first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { mark: first.toString('hex', 0, 2), all: all() };
}

/** Other lines than these are no use, and those of plans neither. */
function passOn(record: Record<string, unknown>, { onOperation, onDocument }: LogHandler): void {
  const [operation, hash] = [labelFrom(record.operation), labelFrom(record.document)];
  const { event, plan, outcome, fields, upstream } = record;
  if (event === 'document' && hash !== null && Array.isArray(fields))
    onDocument(idOf(hash, operation), fields);
  if (event !== 'operation' || plan === true) return;
  onOperation({
    id: hash === null ? null : idOf(hash, operation),
    groups: {
      operation: operation ?? (hash === null ? '(none)' : '(anonymous)'),
      client: labelFrom(record.clientName) ?? '(none)',
      key: labelFrom(record.key) ?? '(none)',
    },
    // Gateways of version 0.2 wrote `refused`.
    isRejected: outcome === 'rejected' || outcome === 'refused',
    calls: countFrom((upstream as { network?: unknown } | null | undefined)?.network),
  });
}

/** An operation of a document, as logs name it. */
export function idOf(documentHash: string, operation: string | null): string {
  return `${documentHash} ${operation ?? ''}`;
}

/**
 * The record of a gateway: after what a collector writes before it (`gateway-1  | {…}`), or in the field of a
 * collector's own record that has the line: `log` (Docker, Fluentd), `MESSAGE` (journald), `message`.
 */
function recordFrom(text: string): Record<string, unknown> | undefined {
  const start = text.startsWith('{') ? 0 : text.indexOf('{"level":');
  const record = start < 0 ? undefined : parse(text.slice(start));
  if (!isObject(record)) return undefined;
  if (typeof record.level === 'string' && typeof record.time === 'string') return record;
  const inner = record.log ?? record.MESSAGE ?? record.message;
  return typeof inner === 'string' ? recordFrom(inner) : undefined;
}

/** What the gateway writes for a name or a digest. Other texts could be long, or control a terminal. */
const LABEL = /^[ -~]{1,64}…?$/;

function labelFrom(value: unknown): string | null {
  return typeof value === 'string' && LABEL.test(value) ? value : null;
}

function countFrom(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
