import type { Identified, Operation } from '../../observers/operation.ts';
import type { LineLogger } from './log.ts';
import { createLineLimit } from './log-lines.ts';

/** Operations whose line is remembered; the oldest is forgotten, and has a line again when it comes again. */
const MAX_REMEMBERED = 1000;

/**
 * Logs the fields of each operation of a document when this process executes it for the first time: at most
 * ten lines per second, and at the end of the second the number of suppressed ones, which have their line
 * when they come again. Trusted documents have none: their manifest has them. `readFields` returns schema
 * coordinates, and is called for a new line only.
 */
export function createDocumentLog(logger: LineLogger) {
  const remembered = new Set<string>();
  const isPermitted = createLineLimit((suppressed) =>
    logger.info({ event: 'document', suppressed }, 'further documents'),
  );
  return ({ name, documentHash, isTrusted }: Identified, readFields: () => readonly string[]): void => {
    if (isTrusted || documentHash === null) return;
    const id = `${documentHash} ${name ?? ''}`;
    if (remembered.has(id) || !isPermitted()) return;
    const [oldest] = remembered;
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    remembered.add(id);
    const fields = readFields();
    logger.info({ event: 'document', document: documentHash, operation: name, fields }, 'document');
  };
}

/** Whether an operation was executed, and its document is therefore valid. */
export function isExecuted({ isPlan, outcome, calls }: Operation): boolean {
  if (isPlan) return false;
  return outcome === 'ok' || outcome === 'partial' || calls.length > 0;
}
