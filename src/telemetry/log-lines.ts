import { readFileSync } from 'node:fs';
import { SourceMap, type SourceOrigin } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Gauge } from '../gauges.ts';
import { redact } from '../secrets.ts';
import type { OnFailure } from '../upstream/call.ts';
import type { Deprecation } from '../upstream/notices.ts';
import type { Logger } from './log.ts';
import { endpointOf, type Operation, shownDigest, templateOf } from './operation.ts';

/** Logs a finished operation and, at the level `debug`, each of its REST calls. */
export function logOperation(logger: Logger, operation: Operation): void {
  logger.writeLine(lineOf(operation));
  if (!logger.isLevelEnabled('debug')) return;
  const { requestId, calls } = operation;
  for (const call of calls) {
    const { status, source, durationMs } = call;
    logger.debug(
      { event: 'call', requestId, path: templateOf(call), status, source, durationMs },
      'REST call',
    );
  }
}

/**
 * The line of an operation, whose fields are always in this order. A template costs a third of the library's
 * line. Only the names of the operation and its client and the codes have characters that JSON may escape.
 */
function lineOf(operation: Operation): string {
  const { requestId, traceId, name, documentHash, outcome, status, durationMs, polls, calls, codes, key } =
    operation;
  const { isPlan, clientName, clientVersion } = operation;
  const trace = traceId === undefined ? '' : `"traceId":"${traceId}",`;
  const document = documentHash === null ? 'null' : `"${documentHash}"`;
  const stream = polls === undefined ? '' : `"stream":true,"polls":${polls},`;
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

let latestTime = { ms: 0, text: '' };

/** The time in ISO 8601. Many operations end in one millisecond. */
function isoTime(ms: number): string {
  if (latestTime.ms !== ms) latestTime = { ms, text: new Date(ms).toISOString() };
  return latestTime.text;
}

/** The number of REST calls by source. */
function countBySource(calls: Operation['calls']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { source } of calls) counts[source] = (counts[source] ?? 0) + 1;
  return counts;
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
export function logFailure(
  logger: Logger,
  call: Parameters<OnFailure>[0],
  { owner, error, ...failure }: Failure,
): void {
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

/** The file that this module is a part of: a bundle in `dist/`, or the module itself in a test. */
const bundle = import.meta.url;
const position = new RegExp(`${bundle.replace(/[^\w/]/g, '\\$&')}:(\\d+):(\\d+)`, 'g');

/** Undefined until the first stack; null where the bundle has none. */
let map: SourceMap | null | undefined;

/**
 * Replaces positions in the bundle by those in `src/`; positions in packages remain. The source map is read
 * for the first stack that is logged: with `node --enable-source-maps` every start reads it, and every error
 * costs half as much again.
 */
function toSourcePositions(stack: string): string {
  return stack.replace(position, (inBundle, line: string, column: string) => {
    map ??= readSourceMap();
    const origin: SourceOrigin | object = map?.findOrigin(Number(line), Number(column)) ?? {};
    if (!('fileName' in origin) || origin.fileName.includes('/node_modules/')) return inBundle;
    return `${new URL(origin.fileName, bundle).href}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function readSourceMap(): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(bundle)}.map`, 'utf8')));
  } catch {
    return null;
  }
}

/** A request that is rejected before the GraphQL endpoint, or a connection that gets no response. */
interface Rejection {
  /** HTTP status of the response; null where there is none. */
  status: number | null;
  /** The `x-request-id` of the response; null where there is none. */
  requestId: string | null;
  /** Holds nothing of the request. */
  message: string;
}

/** Called for each request that is rejected before it reaches the GraphQL endpoint. */
export type OnRejected = (rejection: Rejection) => void;

/** Lines per window, so that a flood of requests does not fill the log. */
const maxLines = 10;
const windowMs = 1000;

/**
 * Returns a function that permits ten lines per second. At the end of the second, `onSuppressed` gets the
 * number of the others, unless there is none.
 */
export function createLineLimit(onSuppressed: (count: number) => void): () => boolean {
  let lines = 0;
  let hasWindow = false;

  function endWindow(): void {
    const suppressed = lines - maxLines;
    hasWindow = false;
    lines = 0;
    if (suppressed > 0) onSuppressed(suppressed);
  }

  return () => {
    if (!hasWindow) setTimeout(endWindow, windowMs).unref();
    hasWindow = true;
    lines += 1;
    return lines <= maxLines;
  };
}

/** Logs rejections: at most ten per second, and at the end of the second the number of suppressed ones. */
export function createRejectionLog(logger: Logger): OnRejected {
  const isPermitted = createLineLimit((suppressed) =>
    logger.info({ event: 'rejection', suppressed }, 'further requests rejected'),
  );
  return ({ status, requestId, message }) => {
    // Clients cause rejections with a status at will; a closed connection concerns the operator.
    const level = status === null ? 'warn' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    if (isPermitted())
      logger[level]({ event: 'rejection', requestId, status, reason: message }, 'request rejected');
  };
}

const DAY_MS = 86_400_000;

/** Logs once a day that the REST API is deprecated, and remembers for a day when it ends. */
export function createDeprecationLog(logger: Logger) {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let end = { seconds: 0, seenAtMs: Number.NEGATIVE_INFINITY };
  const isRecent = (atMs: number) => performance.now() - atMs < DAY_MS;
  return {
    onDeprecation(deprecation: Deprecation): void {
      const seconds = Date.parse(deprecation.sunset ?? '') / 1000;
      if (seconds <= end.seconds || (seconds && !isRecent(end.seenAtMs)))
        end = { seconds, seenAtMs: performance.now() };
      if (isRecent(loggedAtMs)) return;
      loggedAtMs = performance.now();
      logger.warn({ event: 'deprecation', ...deprecation }, 'the REST API is deprecated');
    },
    gauge: {
      name: 'portico_upstream_sunset_timestamp_seconds',
      help: 'When the REST API ends, as a response of the last day said; 0: none did',
      read: () => (isRecent(end.seenAtMs) ? end.seconds : 0),
    } satisfies Gauge,
  };
}

/** Counts the REST API responses that differ from the contract, by field, and logs the first of each. */
export function createDriftLog(logger: Logger, fields: readonly string[]) {
  const counts = new Map<string, number>();
  const count = (field: string): void => {
    const before = counts.get(field) ?? 0;
    counts.set(field, before + 1);
    if (before === 0) logger.warn(`a REST API response differs from the contract at ${field}`);
  };
  const gauge: Gauge = {
    name: 'portico_drift_total',
    help: 'REST API responses that differ from the contract, by field',
    read: () => counts,
    label: { name: 'field', known: fields },
  };
  return { count, counts: (): ReadonlyMap<string, number> => counts, gauge };
}
