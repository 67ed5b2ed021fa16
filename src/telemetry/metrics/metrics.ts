import { Counter, Histogram, Registry } from 'prom-client';
import { endpointOf, statusLabel } from '../endpoint.ts';
import type { Operation } from '../operation.ts';
import { createNames } from '../operation-names.ts';
import { addGauges, type GatewayStats } from './gauges.ts';
import { startRuntimeGauges } from './runtime.ts';

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
   * `increase()` of Prometheus ignores the first value of a series. Returns a function that stops them.
   */
  start(stats: () => GatewayStats, known: KnownLabels): () => void;
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
      addGauges(registry, stats, known);
      return startRuntimeGauges(registry);
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
