import { createReadStream } from 'node:fs';

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

/** `other`: a line of a gateway that is neither. `foreign`: not the line of a gateway. */
export type LogLine = OperationLine | DocumentLine | 'other' | 'foreign';

/**
 * Reads the log of a gateway, from a file or, for `-`, from standard input, with a bounded amount of memory.
 * Rejects with the error of the system where it cannot be read.
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

  for await (const chunk of input.setEncoding('utf8')) {
    const texts = `${rest}${chunk}`.split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) onText(text);
    if (rest.length <= MAX_LINE) continue;
    isTooLong = true;
    rest = '';
  }
  onText(rest);
}

function lineFrom(text: string): LogLine {
  const line = recordFrom(text);
  if (typeof line?.level !== 'string' || typeof line.time !== 'string') return 'foreign';
  if (line.event === 'operation')
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

function recordFrom(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What the gateway writes for a name or a digest. Other texts could be long, or control a terminal. */
const LABEL = /^[ -~]{1,64}…?$/;

function labelFrom(value: unknown): string | null {
  return typeof value === 'string' && LABEL.test(value) ? value : null;
}

function countFrom(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
