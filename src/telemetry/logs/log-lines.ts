import { endpointOf, templateOf } from '../endpoint.ts';
import type { Operation } from '../operation.ts';
import { shownDigest } from '../operation.ts';
import { redact } from '../secrets.ts';
import type { Logger } from './logger.ts';
import { toSourcePositions } from './source-positions.ts';

/** Logs a finished operation and, at the level `debug`, each of its REST calls. */
export function logOperation(logger: Logger, operation: Operation): void {
  const { requestId, traceId, calls, codes } = operation;
  logger.info(
    {
      event: 'operation',
      requestId,
      ...(traceId !== undefined && { traceId }),
      operation: operation.name,
      document: operation.documentHash,
      outcome: operation.outcome,
      status: operation.status,
      durationMs: operation.durationMs,
      ...(operation.polls !== undefined && { stream: true, polls: operation.polls }),
      upstream: countBySource(calls),
      codes,
      key: operation.key,
    },
    'operation',
  );
  if (!logger.isLevelEnabled('debug')) return;
  for (const call of calls) {
    const { status, source, durationMs } = call;
    logger.debug(
      { event: 'call', requestId, path: templateOf(call), status, source, durationMs },
      'REST call',
    );
  }
}

/** The number of REST calls by source. */
function countBySource(calls: Operation['calls']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { source } of calls) counts[source] = (counts[source] ?? 0) + 1;
  return counts;
}

interface FailedCall {
  path: string;
  status: number | null;
  durationMs?: number;
}

interface Failure {
  requestId: string | undefined;
  /** The digest of the whole API key. */
  owner: string;
  code: string;
  error: unknown;
}

/** Failures that a client causes with its key. Invented keys could fill the log with warnings. */
const clientCodes = new Set(['FORBIDDEN', 'RATE_LIMITED']);

/** Logs a failed REST call. Of a library's error the line has only the code. */
export function logFailure(logger: Logger, call: FailedCall, { owner, error, ...failure }: Failure): void {
  const { code: cause } = error instanceof Error ? ((error.cause ?? {}) as { code?: unknown }) : {};
  logger[clientCodes.has(failure.code) ? 'info' : 'warn'](
    {
      event: 'upstream',
      ...failure,
      ...(typeof cause === 'string' && { cause }),
      endpoint: endpointOf(call),
      path: templateOf(call),
      status: call.status,
      source: 'network',
      durationMs: call.durationMs,
      key: shownDigest(owner),
    },
    'REST call failed',
  );
}

/** Longest stack in the log, in characters. The message of an error may quote the request. */
const MAX_STACK_CHARACTERS = 8192;

/** Logs an internal error, without `secrets`: the keys of the active requests. */
export function logFault(logger: Logger, fault: unknown, secrets: Iterable<string>): void {
  const stack = toSourcePositions(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
  const shown = stack.length > MAX_STACK_CHARACTERS ? `${stack.slice(0, MAX_STACK_CHARACTERS)}…` : stack;
  logger.error({ event: 'fault', stack: redact(shown, secrets) }, 'fault');
}
