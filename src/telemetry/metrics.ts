import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LiveStats } from '../operation/live/live.ts';
import { endpointOf, statusLabel } from './endpoint.ts';
import { droppedLines } from './logs/destination.ts';
import type { Operation } from './operation.ts';
import { createNames } from './operation-names.ts';

/** The metrics of one gateway, for Prometheus. */
export interface GatewayMetrics {
  /** Holds all of them. */
  readonly registry: Registry;
  /** Counts a finished operation. */
  count(operation: Operation): void;
  /** Counts a request that was rejected before the GraphQL endpoint; `status` is null where it got no response. */
  countRejection(status: number | null): void;
  /**
   * Adds the metrics that are read at each scrape, from `stats` and from the process. Known labels start at 0, because
   * `increase()` of Prometheus ignores the first value of a series.
   */
  start(stats: () => GatewayStats, known: KnownLabels): void;
}

const TOO_EXPENSIVE = 'OPERATION_TOO_EXPENSIVE';

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

interface KnownLabels {
  /** All error codes. */
  codes: readonly string[];
  /** All fields that can differ from the contract. */
  driftFields: readonly string[];
  /** Whether there are live queries. */
  hasLive?: boolean;
}

export function createMetrics(): GatewayMetrics {
  const registry = new Registry();
  const registers = [registry];
  const nameOf = createNames();

  const operations = new Counter({
    name: 'portico_operations_total',
    help: 'Finished requests to the GraphQL endpoint, by operation and outcome',
    labelNames: ['operation', 'outcome'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'portico_operation_duration_seconds',
    help: 'Time from the request header to the last byte of the response',
    labelNames: ['operation'] as const,
    buckets: durationBuckets,
    registers,
  });
  const errors = new Counter({
    name: 'portico_operation_errors_total',
    help: 'Operations whose response has an error, by code',
    labelNames: ['code'] as const,
    registers,
  });
  const responses = new Counter({
    name: 'portico_http_responses_total',
    help: 'Responses of the GraphQL endpoint, by HTTP status',
    labelNames: ['status'] as const,
    registers,
  });
  const rejections = new Counter({
    name: 'portico_http_rejections_total',
    help: 'Requests rejected before the GraphQL endpoint, by HTTP status; none: the connection was closed',
    labelNames: ['status'] as const,
    registers,
  });
  const refusals = new Counter({
    name: 'portico_budget_refusals_total',
    help: 'Operations that exceeded MAX_UPSTREAM_CALLS',
    registers,
  });
  const calls = new Counter({
    name: 'portico_upstream_calls_total',
    help: 'REST calls that operations needed, by endpoint, status and source',
    labelNames: ['endpoint', 'status', 'source'] as const,
    registers,
  });
  const callDurations = new Histogram({
    name: 'portico_upstream_call_duration_seconds',
    help: 'Duration of the REST calls that were sent',
    labelNames: ['endpoint'] as const,
    buckets: durationBuckets,
    registers,
  });
  const saved = new Counter({
    name: 'portico_upstream_calls_saved_total',
    help: 'REST calls saved: merged in one operation, coalesced with a call in flight, or served from the cache',
    labelNames: ['by'] as const,
    registers,
  });

  function countCalls({ calls: made, loadCount, outcome, codes }: Operation): void {
    for (const call of made) {
      const { status, source, durationMs } = call;
      const endpoint = endpointOf(call);
      calls.inc({ endpoint, status: statusLabel(status), source });
      if (source === 'network') callDurations.observe({ endpoint }, durationMs / 1000);
      if (source === 'coalesced') saved.inc({ by: 'coalesced' });
      if (source === 'cache') saved.inc({ by: 'cache' });
    }
    // An operation that was aborted has not loaded all of them.
    if (loadCount <= made.length || outcome === 'abandoned' || codes.includes(TOO_EXPENSIVE)) return;
    // A retried call counts once.
    const merged = loadCount - new Set(made.map(({ path }) => path)).size;
    saved.inc({ by: 'merged' }, merged);
  }

  return {
    registry,
    start(stats, known) {
      for (const code of known.codes) errors.inc({ code }, 0);
      addScraped(registry, stats, known);
      collectDefaultMetrics({ register: registry });
    },
    countRejection: (status) => rejections.inc({ status: status === null ? 'none' : String(status) }),
    count(operation) {
      const { outcome, codes, status, durationMs, polls } = operation;
      const name = nameOf(operation);
      operations.inc({ operation: name, outcome });
      if (polls === undefined) durations.observe({ operation: name }, durationMs / 1000);
      for (const code of codes) errors.inc({ code });
      if (codes.includes(TOO_EXPENSIVE)) refusals.inc();
      responses.inc({ status: String(status) });
      countCalls(operation);
    },
  };
}

/** The state of a gateway at one moment. */
export interface GatewayStats {
  connections: number;
  /** Response bytes that clients have not read yet. */
  unreadBytes: number;
  /** Connections that were closed for unread bytes. */
  closedUnread: number;
  activeOperations: number;
  fastPathOperations: number;
  compiled: { operations: number; bytes: number };
  documents: { count: number; bytes: number };
  upstream: {
    isBreakerOpen: boolean;
    active: number;
    connections: number;
    queued: number;
    rateLimitedKeys: number;
    inFlightCalls: number;
  };
  drift: ReadonlyMap<string, number>;
  /** Absent where there are no live queries. */
  live?: LiveStats | undefined;
}

/** A metric that is read at each scrape. */
type Scraped<Stats> = readonly [name: string, help: string, read: (stats: Stats) => number];

const gauges: readonly Scraped<GatewayStats>[] = [
  ['portico_connections', 'Open client connections', ({ connections }) => connections],
  [
    'portico_unread_response_bytes',
    'Response bytes that clients have not read yet',
    ({ unreadBytes }) => unreadBytes,
  ],
  ['portico_operations_active', 'Operations being executed', ({ activeOperations }) => activeOperations],
  ['portico_compiled_operations', 'Compiled operations in memory', ({ compiled }) => compiled.operations],
  ['portico_compiled_bytes', 'Estimated memory of the compiled operations', ({ compiled }) => compiled.bytes],
  ['portico_documents', 'Parsed documents in the cache', ({ documents }) => documents.count],
  ['portico_documents_bytes', 'Estimated memory of the parsed documents', ({ documents }) => documents.bytes],
  ['portico_upstream_calls_active', 'REST calls that hold a connection', ({ upstream }) => upstream.active],
  [
    'portico_upstream_connections_max',
    'Maximum number of connections to the REST API',
    ({ upstream }) => upstream.connections,
  ],
  ['portico_upstream_calls_queued', 'REST calls queued for a connection', ({ upstream }) => upstream.queued],
  [
    'portico_upstream_in_flight_calls',
    'REST calls in flight that equal calls can join',
    ({ upstream }) => upstream.inFlightCalls,
  ],
  [
    'portico_rate_limited_keys',
    'Keys whose REST API rate limit is exhausted',
    ({ upstream }) => upstream.rateLimitedKeys,
  ],
  [
    'portico_breaker_open',
    '1 while the circuit breaker is open',
    ({ upstream }) => (upstream.isBreakerOpen ? 1 : 0),
  ],
];

const counters: readonly Scraped<GatewayStats>[] = [
  [
    'portico_slow_readers_closed_total',
    'Connections closed because MAX_UNREAD_BYTES of responses were unread',
    ({ closedUnread }) => closedUnread,
  ],
  [
    'portico_fast_path_operations_total',
    'Operations executed on the fast path',
    ({ fastPathOperations }) => fastPathOperations,
  ],
  [
    'portico_log_lines_dropped_total',
    'Log lines dropped because standard error could not be written or was read too slowly',
    droppedLines,
  ],
];

const liveGauges: readonly Scraped<LiveStats>[] = [
  ['portico_live_streams', 'Open streams of live queries', ({ streams }) => streams],
  [
    'portico_live_groups',
    'Different live queries: streams of one key with equal operations are one',
    ({ groups }) => groups,
  ],
  ['portico_live_polls', 'Sites and conversations that are polled, by key', ({ polls }) => polls],
  [
    'portico_live_stretched_keys',
    'Keys that are polled less often than asked for, because of their limits',
    ({ stretchedKeys }) => stretchedKeys,
  ],
  [
    'portico_live_kept_bytes',
    'Responses, results and documents that live queries keep',
    ({ keptBytes }) => keptBytes,
  ],
];

const liveCounters: readonly Scraped<LiveStats>[] = [
  ['portico_live_poll_requests_total', 'REST calls that polls sent', ({ requests }) => requests],
  ['portico_live_changes_total', 'Polls that brought other data than before', ({ changes }) => changes],
  ['portico_live_events_total', 'Results that were sent, one for each stream', ({ events }) => events],
];

function addScraped(
  registry: Registry,
  stats: () => GatewayStats,
  { driftFields, hasLive }: Omit<KnownLabels, 'codes'>,
): void {
  const registers = [registry];
  const addGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const addCounter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const ofLive = (read: (live: LiveStats) => number) => () => {
    const { live } = stats();
    return live ? read(live) : 0;
  };
  for (const [name, help, read] of gauges) addGauge(name, help, () => read(stats()));
  for (const [name, help, read] of counters) addCounter(name, help, () => read(stats()));
  for (const [name, help, read] of hasLive ? liveGauges : []) addGauge(name, help, ofLive(read));
  for (const [name, help, read] of hasLive ? liveCounters : []) addCounter(name, help, ofLive(read));
  addGauge('nodejs_heap_size_limit_bytes', 'Heap size limit', () => getHeapStatistics().heap_size_limit);
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
