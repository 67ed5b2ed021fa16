import { endpointOf, templateOf } from './endpoint.ts';
import type { Logger } from './logger.ts';
import type { Operation } from './operation.ts';
import { shownDigest } from './operation.ts';
import { discreet } from './secrets.ts';

/** A line for an operation that is over and, where that is asked for, one for each of its REST calls. */
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

/** How many REST calls the operation needed, by how each was had. */
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
  /** The digest of the caller's whole key. */
  owner: string;
  code: string;
  error: unknown;
}

/** What a key brings upon itself: whoever makes keys up could fill the log with it. */
const callersOwn = new Set(['FORBIDDEN', 'RATE_LIMITED']);

/** A line for a REST call that was made and failed. Of what the libraries threw, it has no more than the code. */
export function logFailure(logger: Logger, call: FailedCall, { owner, error, ...failure }: Failure): void {
  const { code: cause } = error instanceof Error ? ((error.cause ?? {}) as { code?: unknown }) : {};
  logger[callersOwn.has(failure.code) ? 'info' : 'warn'](
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

/** Longest stack in the log, in characters. The message of a fault may quote what a client sent. */
const MAX_STACK_CHARACTERS = 8192;

/** A line for a fault of the gateway's own, without any of the secrets that are in its hands at the moment. */
export function logFault(logger: Logger, fault: unknown, secrets: Iterable<string>): void {
  const stack = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  const shown = stack.length > MAX_STACK_CHARACTERS ? `${stack.slice(0, MAX_STACK_CHARACTERS)}…` : stack;
  logger.error({ event: 'fault', stack: discreet(shown, secrets) }, 'fault');
}
