import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LiveStats } from '../operation/live/live.ts';
import type { StackState } from '../upstream/stack.ts';
import { droppedLines } from './log.ts';
import { endpointOf, type Operation } from './operation.ts';

/** The metrics of one gateway, for Prometheus. */
export type GatewayMetrics = ReturnType<typeof createMetrics>;

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Histogram({ name, help, labelNames, buckets: durationBuckets, registers });
  const nameOf = createNames();
  const clientOf = createClientNames();

  const operations = counter(
    'portico_operations_total',
    'Finished requests to the GraphQL endpoint, by operation and outcome',
    'operation',
    'outcome',
  );
  const durations = histogram(
    'portico_operation_duration_seconds',
    'Time from the request header to the last byte of the response',
    'operation',
  );
  const errors = counter(
    'portico_operation_errors_total',
    'Operations whose response has an error, by code',
    'code',
  );
  const responses = counter(
    'portico_http_responses_total',
    'Responses of the GraphQL endpoint, by HTTP status',
    'status',
  );
  const clients = counter(
    'portico_client_operations_total',
    'Finished requests to the GraphQL endpoint, by the name that the client gives itself',
    'client',
  );
  const rejections = counter(
    'portico_http_rejections_total',
    'Requests rejected before the GraphQL endpoint, by HTTP status; none: the connection was closed',
    'status',
  );
  const calls = counter(
    'portico_upstream_calls_total',
    'REST calls that operations needed, by endpoint, status and source',
    'endpoint',
    'status',
    'source',
  );
  const callDurations = histogram(
    'portico_upstream_call_duration_seconds',
    'Duration of the REST calls that were sent',
    'endpoint',
  );
  const saved = counter(
    'portico_upstream_calls_saved_total',
    'REST calls saved: merged in one operation, coalesced with a call in flight, or served from the cache',
    'by',
  );

  function countCalls({ calls: made, loadCount, outcome, codes }: Operation): void {
    for (const call of made) {
      const { status, source, durationMs } = call;
      const endpoint = endpointOf(call);
      calls.inc({ endpoint, status: statusLabel(status), source });
      if (source === 'network') callDurations.observe({ endpoint }, durationMs / 1000);
      if (source === 'coalesced' || source === 'cache') saved.inc({ by: source });
    }
    // An operation that was aborted has not loaded all of them.
    if (loadCount <= made.length || outcome === 'abandoned' || codes.includes('OPERATION_TOO_EXPENSIVE'))
      return;
    // A retried call counts once.
    saved.inc({ by: 'merged' }, loadCount - new Set(made.map(({ path }) => path)).size);
  }

  return {
    /** Holds all of them. */
    registry,
    /**
     * Adds the metrics that are read at each scrape, from `stats` and from the process. Known labels start at
     * 0, because `increase()` of Prometheus ignores the first value of a series.
     */
    start(stats: () => GatewayStats, known: KnownLabels): void {
      for (const code of known.codes) errors.inc({ code }, 0);
      addScraped(registry, stats, known);
      collectDefaultMetrics({ register: registry });
    },
    /** Counts a request that was rejected before the GraphQL endpoint; null: without a response. */
    countRejection: (status: number | null): void => rejections.inc({ status: `${status ?? 'none'}` }),
    /** Counts a finished operation. */
    count(operation: Operation): void {
      const { outcome, codes, status, durationMs, polls } = operation;
      const name = nameOf(operation);
      operations.inc({ operation: name, outcome });
      clients.inc({ client: clientOf(operation) });
      if (polls === undefined) durations.observe({ operation: name }, durationMs / 1000);
      for (const code of codes) errors.inc({ code });
      responses.inc({ status: String(status) });
      countCalls(operation);
    },
  };
}

const commonStatuses = new Set([200, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504]);

/** A label with few values: the status if it is a common one, else its class; `none` without a response. */
function statusLabel(status: number | null): string {
  if (status === null) return 'none';
  return commonStatuses.has(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}

/** Operations with a label of their own, by names that clients choose and by names in trusted documents. */
const MAX_CLIENT_NAMES = 100;
const MAX_TRUSTED_NAMES = 1000;

/**
 * Returns the label of an operation: its name, if that is short enough and one of the first names in trusted
 * documents, or one of the first that got data from the REST API. The two limits are separate, so that
 * invented names displace no trusted name. No GraphQL name has the parentheses of the other labels.
 */
function createNames(): (operation: Operation) => string {
  const trusted = new Set<string>();
  const client = new Set<string>();
  return ({ name, documentHash, isTrusted, calls }) => {
    if (documentHash === null) return '(none)';
    if (name === null) return '(anonymous)';
    if (name.endsWith('…')) return '(other)';
    if (trusted.has(name) || client.has(name)) return name;
    const [known, limit] = isTrusted ? [trusted, MAX_TRUSTED_NAMES] : [client, MAX_CLIENT_NAMES];
    if (known.size >= limit) return '(other)';
    if (!isTrusted && !hasData(calls)) return '(other)';
    known.add(name);
    return name;
  };
}

function hasData(calls: Operation['calls']): boolean {
  return calls.some(({ status }) => status === 200);
}

/** Clients with a label of their own. */
const MAX_CLIENTS = 100;

/** A name that was cut or redacted, or that looks like one of the other labels. */
const NO_LABEL = /^[([]|…$/;

/** Returns the label of a client: its name, if that is one of the first that got data from the REST API. */
function createClientNames(): (operation: Operation) => string {
  const known = new Set<string>();
  return ({ clientName, calls }) => {
    if (clientName === null) return '(none)';
    if (known.has(clientName)) return clientName;
    if (known.size >= MAX_CLIENTS || NO_LABEL.test(clientName) || !hasData(calls)) return '(other)';
    known.add(clientName);
    return clientName;
  };
}

interface KnownLabels {
  /** All error codes. */
  codes: readonly string[];
  /** All fields that can differ from the contract. */
  driftFields: readonly string[];
}

/** The state of a gateway at one moment. */
interface GatewayStats {
  connections: number;
  /** Response bytes that clients have not read yet. */
  unreadBytes: number;
  /** Connections that were closed for unread bytes. */
  closedUnread: number;
  activeOperations: number;
  fastPathOperations: number;
  compiled: { operations: number; bytes: number };
  documents: { count: number; bytes: number };
  upstream: StackState;
  drift: ReadonlyMap<string, number>;
  /** When the REST API ends, in seconds since 1970; 0: it does not say. */
  sunsetSeconds: number;
  /** Absent where there are no live queries. */
  live?: LiveStats | undefined;
}

/** The metrics read at each scrape, by name: a counter if the name ends in `_total`, otherwise a gauge. */
const scraped: Record<string, [help: string, read: (stats: GatewayStats) => number | undefined]> = {
  portico_connections: ['Open client connections', (stats) => stats.connections],
  portico_unread_response_bytes: [
    'Response bytes that clients have not read yet',
    (stats) => stats.unreadBytes,
  ],
  portico_operations_active: ['Operations being executed', (stats) => stats.activeOperations],
  portico_compiled_operations: ['Compiled operations in memory', ({ compiled }) => compiled.operations],
  portico_compiled_bytes: ['Estimated memory of the compiled operations', ({ compiled }) => compiled.bytes],
  portico_documents: ['Parsed documents in the cache', ({ documents }) => documents.count],
  portico_documents_bytes: ['Estimated memory of the parsed documents', ({ documents }) => documents.bytes],
  portico_upstream_calls_active: ['REST calls that hold a connection', ({ upstream }) => upstream.active],
  portico_upstream_connections_max: [
    'Maximum number of connections to the REST API',
    ({ upstream }) => upstream.connections,
  ],
  portico_upstream_calls_queued: ['REST calls queued for a connection', ({ upstream }) => upstream.queued],
  portico_upstream_in_flight_calls: [
    'REST calls in flight that equal calls can join',
    ({ upstream }) => upstream.inFlightCalls,
  ],
  portico_rate_limited_keys: [
    'Keys whose REST API rate limit is exhausted',
    ({ upstream }) => upstream.rateLimitedKeys,
  ],
  portico_breaker_open: ['1 while the circuit breaker is open', ({ upstream }) => +upstream.isBreakerOpen],
  portico_upstream_sunset_timestamp_seconds: [
    'When the REST API ends, as a response of the last day said; 0: none did',
    (stats) => stats.sunsetSeconds,
  ],
  portico_slow_readers_closed_total: [
    'Connections closed because MAX_UNREAD_BYTES of responses were unread',
    (stats) => stats.closedUnread,
  ],
  portico_fast_path_operations_total: [
    'Operations executed on the fast path',
    (stats) => stats.fastPathOperations,
  ],
  portico_log_lines_dropped_total: [
    'Log lines dropped because standard error could not be written or was read too slowly',
    droppedLines,
  ],
  nodejs_heap_size_limit_bytes: ['Heap size limit', () => getHeapStatistics().heap_size_limit],
  portico_live_streams: ['Open streams of live queries', ({ live }) => live?.streams],
  portico_live_groups: [
    'Different live queries: streams of one key with equal operations are one',
    ({ live }) => live?.groups,
  ],
  portico_live_polls: ['Sites and conversations that are polled, by key', ({ live }) => live?.polls],
  portico_live_stretched_keys: [
    'Keys that are polled less often than asked for, because of their limits',
    ({ live }) => live?.stretchedKeys,
  ],
  portico_live_kept_bytes: [
    'Responses, results and documents that live queries keep',
    ({ live }) => live?.keptBytes,
  ],
  portico_live_poll_requests_total: ['REST calls that polls sent', ({ live }) => live?.requests],
  portico_live_changes_total: ['Polls that brought other data than before', ({ live }) => live?.changes],
  portico_live_events_total: ['Results that were sent, one for each stream', ({ live }) => live?.events],
};

function addScraped(registry: Registry, stats: () => GatewayStats, { driftFields }: KnownLabels): void {
  const registers = [registry];
  for (const [name, [help, read]] of Object.entries(scraped)) {
    if (name.startsWith('portico_live_') && !stats().live) continue;
    const collect = function (this: Counter | Gauge) {
      this.reset();
      this.inc(read(stats()) ?? 0);
    };
    new (name.endsWith('_total') ? Counter : Gauge)({ name, help, registers, collect });
  }
  new Counter({
    name: 'portico_drift_total',
    help: 'REST API responses that differ from the contract, by field',
    labelNames: ['field'],
    registers,
    collect() {
      this.reset();
      for (const field of driftFields) this.inc({ field }, 0);
      for (const [field, count] of stats().drift) this.inc({ field }, count);
    },
  });
}
