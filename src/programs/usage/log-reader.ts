import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isObject, parse } from '../../upstream/json.ts';

/** Longest line that is parsed, in characters: far longer than any that the gateway writes. */
const MAX_LINE = 65_536;

/** The line of an operation in the log of a gateway. */
interface OperationLine {
  event: 'operation';
  operation: string | null;
  documentHash: string | null;
  isRejected: boolean;
  clientName: string | null;
  key: string | null;
  /** The REST calls that were sent. */
  calls: number;
}

/** The line with the fields of an operation. */
interface DocumentLine {
  event: 'document';
  operation: string | null;
  documentHash: string;
  fields: readonly unknown[];
}

/** `other`: a line of a gateway that is neither, or of a plan, which is no use. `foreign`: not of a gateway. */
export type LogLine = OperationLine | DocumentLine | 'other' | 'foreign';

/**
 * Reads the log of a gateway, from a file or, for `-`, from standard input, with a bounded amount of memory. It
 * may be compressed by gzip, and in UTF-16 with a byte order mark. Rejects with the error of the system where
 * it cannot be read.
 */
export async function readLog(path: string, onLine: (line: LogLine) => void): Promise<void> {
  const input = path === '-' ? process.stdin : createReadStream(path);
  let rest = '';
  let isTooLong = false;

  function onText(text: string): void {
    if (isTooLong) onLine('foreign');
    else if (text.trim() !== '') onLine(lineFrom(text));
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

function lineFrom(text: string): LogLine {
  const line = recordFrom(text);
  if (!line) return 'foreign';
  if (line.event === 'operation' && line.plan !== true)
    return {
      event: 'operation',
      operation: labelFrom(line.operation),
      documentHash: labelFrom(line.document),
      // Gateways of version 0.2 wrote `refused`.
      isRejected: line.outcome === 'rejected' || line.outcome === 'refused',
      clientName: labelFrom(line.clientName),
      key: labelFrom(line.key),
      calls: countFrom((line.upstream as { network?: unknown } | null | undefined)?.network),
    };
  const documentHash = labelFrom(line.document);
  if (line.event !== 'document' || documentHash === null || !Array.isArray(line.fields)) return 'other';
  return { event: 'document', operation: labelFrom(line.operation), documentHash, fields: line.fields };
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
