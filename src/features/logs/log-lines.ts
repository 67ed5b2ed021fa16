import { LRUCache } from 'lru-cache';
import type { Observer } from '../../observers/observer.ts';
import { endpointOf, type Operation, shownDigest, templateOf } from '../../observers/operation.ts';
import { redact } from '../../observers/secrets.ts';
import { latestOf } from '../../rest/memo.ts';
import type { LineLogger } from './log.ts';

/** Logs a finished operation and, at the level `debug`, each of its REST calls. */
export function logOperation(logger: LineLogger, operation: Operation): void {
  logger.writeLine(lineOf(operation));
  if (!logger.isLevelEnabled('debug')) return;
  for (const { path, status, source, durationMs } of operation.calls) {
    const call = { path: templateOf({ path }), status, source, durationMs };
    logger.debug({ event: 'call', requestId: operation.requestId, ...call }, 'REST call');
  }
}

/**
 * The line of an operation, whose fields are always in this order. A template costs a third of the library's
 * line. Only the names of the operation and its client and the codes have characters that JSON may escape.
 */
function lineOf(operation: Operation): string {
  const { requestId, traceId, name, documentHash, outcome, status, durationMs, isStream, calls } = operation;
  const { codes, key, isPlan, clientName, clientVersion } = operation;
  const trace = traceId === undefined ? '' : `"traceId":"${traceId}",`;
  const document = documentHash === null ? 'null' : `"${documentHash}"`;
  const stream = isStream ? '"stream":true,' : '';
  const plan = isPlan ? '"plan":true,' : '';
  const client = clientName === null ? '' : `"clientName":${JSON.stringify(clientName)},`;
  const version = clientVersion === null ? '' : `"clientVersion":${JSON.stringify(clientVersion)},`;
  return (
    `{"level":"info","time":"${isoTime(Date.now())}","event":"operation","requestId":"${requestId}",${trace}` +
    `"operation":${JSON.stringify(name)},"document":${document},"outcome":"${outcome}","status":${status},` +
    `"durationMs":${durationMs},${stream}${plan}"upstream":${JSON.stringify(countBySource(calls))},` +
    `"codes":${JSON.stringify(codes)},"key":${key === null ? 'null' : `"${key}"`},${client}${version}` +
    `"msg":"operation"}\n`
  );
}

/** The time in ISO 8601. Many operations end in one millisecond. */
const isoTime = latestOf((ms: number) => new Date(ms).toISOString());

/** The number of REST calls by source. */
function countBySource(calls: Operation['calls']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { source } of calls) counts[source] = (counts[source] ?? 0) + 1;
  return counts;
}

/** Operations whose `document` line is remembered; a forgotten one has a line again when it comes again. */
const MAX_REMEMBERED = 1000;

/**
 * Logs the fields of each operation of a document when it has data for the first time in this process. Trusted documents
 * have no line, because their manifest has the fields.
 */
export function createDocumentLog(logger: LineLogger) {
  const remembered = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return ({ name, documentHash, isTrusted }: Operation, readFields: () => readonly string[]): void => {
    const id = `${documentHash} ${name ?? ''}`;
    if (isTrusted || documentHash === null || remembered.has(id)) return;
    remembered.set(id, true);
    const fields = readFields();
    logger.info({ event: 'document', document: documentHash, operation: name, fields }, 'document');
  };
}

type Reports = Required<Observer>;

/** Failures that a client causes with its key. Invented keys could fill the log with warnings. */
const clientCodes = new Set(['FORBIDDEN', 'RATE_LIMITED']);

/** Logs a failed REST call. Of a library's error the line has only the code. */
export function createFailureLog(logger: LineLogger): Reports['onFailure'] {
  return (call, { owner, error, ...failure }) => {
    const fields = {
      event: 'upstream',
      ...failure,
      cause: error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined,
      endpoint: endpointOf(call),
      path: templateOf(call),
      status: call.status,
      durationMs: call.durationMs,
      key: shownDigest(owner),
    };
    logger[clientCodes.has(failure.code) ? 'info' : 'warn'](fields, 'REST call failed');
  };
}

/** The message of an error may quote the request. */
const MAX_STACK_CHARACTERS = 8192;

/** Logs an internal error, without the keys of the active requests. */
export function createFaultLog(logger: LineLogger): Reports['onFault'] {
  return (fault, secrets) => {
    const stack = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    const shown = stack.length > MAX_STACK_CHARACTERS ? `${stack.slice(0, MAX_STACK_CHARACTERS)}…` : stack;
    logger.error({ event: 'fault', stack: redact(shown, secrets) }, 'fault');
  };
}

/** Lines of rejections per second, so that a flood of requests does not fill the log. */
const MAX_REJECTIONS = 10;

/** Logs rejections: at most ten per second, and at the end of the second the number of suppressed ones. */
export function createRejectionLog(logger: LineLogger): Reports['onRejected'] {
  let count = 0;
  const endSecond = (): void => {
    const suppressed = count - MAX_REJECTIONS;
    if (suppressed > 0) logger.info({ event: 'rejection', suppressed }, 'further requests rejected');
    count = 0;
  };
  return ({ status, requestId, message }) => {
    // Clients cause rejections with a status at will; a closed connection concerns the operator.
    const level = status === null ? 'warn' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    if (count === 0) setTimeout(endSecond, 1000).unref();
    count += 1;
    if (count > MAX_REJECTIONS) return;
    logger[level]({ event: 'rejection', requestId, status, reason: message }, 'request rejected');
  };
}
