import { Counter, type Registry } from 'prom-client';
import type { LiveStats } from '../../operation/live/live.ts';
import { addLiveGauges } from './live-gauges.ts';
import { createScrapedMetrics } from './scraped.ts';

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

type StatsGauges = readonly [name: string, help: string, read: (stats: GatewayStats) => number][];

const gauges: StatsGauges = [
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
];

/** Adds the metrics that are read from `stats` at each scrape. */
export function addGauges(
  registry: Registry,
  stats: () => GatewayStats,
  { driftFields, hasLive }: { driftFields: readonly string[]; hasLive?: boolean },
): void {
  const { addGauge, addCounter } = createScrapedMetrics(registry);
  for (const [name, help, read] of gauges) addGauge(name, help, 'sum', () => read(stats()));
  // Open in the sum where it is open in any worker.
  addGauge('portico_breaker_open', '1 while the circuit breaker is open', 'max', () =>
    stats().upstream.isBreakerOpen ? 1 : 0,
  );
  addCounter(
    'portico_slow_readers_closed_total',
    'Connections closed because MAX_UNREAD_BYTES of responses were unread',
    () => stats().closedUnread,
  );
  addCounter(
    'portico_fast_path_operations_total',
    'Operations executed on the fast path',
    () => stats().fastPathOperations,
  );
  if (hasLive) addLiveGauges(registry, () => stats().live);
  new Counter({
    name: 'portico_drift_total',
    help: 'REST API responses that differ from the contract, by field',
    labelNames: ['field'],
    registers: [registry],
    collect() {
      this.reset();
      for (const field of driftFields) this.inc({ field }, 0);
      for (const [field, count] of stats().drift) this.inc({ field }, count);
    },
  });
}
