import { Counter, Histogram, Registry } from 'prom-client';
import { endpointOf, statusLabel } from './endpoint.ts';
import { addGauges, type Standing } from './gauges.ts';
import { createNames } from './names.ts';
import type { Operation } from './operation.ts';
import { startRuntimeGauges } from './runtime.ts';

/** The numbers of one gateway, for Prometheus. */
export interface Numbers {
  /** Holds all of them, for reading and for adding up those of several processes. */
  readonly registry: Registry;
  /** Counts an operation that is over. */
  count(operation: Operation): void;
  /** Counts a request that was refused before the GraphQL endpoint; `status` is null where it got no response. */
  countRejection(status: number | null): void;
  /** Adds what is asked for when they are read: how the gateway stands, and how the process does. Returns how to stop. */
  start(standing: () => Standing): () => void;
}

const TOO_EXPENSIVE = 'OPERATION_TOO_EXPENSIVE';

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

interface KnownLabels {
  /** Codes that an error may have. */
  codes?: readonly string[];
  /** Fields that may differ from the contract. */
  driftFields?: readonly string[];
}

/** Each of the known labels is counted from 0: `increase()` of Prometheus does not see a series that begins with 1. */
export function createNumbers({ codes = [], driftFields = [] }: KnownLabels = {}): Numbers {
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
  for (const code of codes) errors.inc({ code }, 0);
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

  function countCalls({ calls: made, questions, outcome, codes }: Operation): void {
    for (const call of made) {
      const { status, source, durationMs } = call;
      const endpoint = endpointOf(call);
      calls.inc({ endpoint, status: statusLabel(status), source });
      if (source === 'network') callDurations.observe({ endpoint }, durationMs / 1000);
      if (source === 'coalesced') saved.inc({ by: 'coalesced' });
      if (source === 'cache') saved.inc({ by: 'cache' });
    }
    // Of an operation that did not come to its end some were never asked.
    if (questions <= made.length || outcome === 'abandoned' || codes.includes(TOO_EXPENSIVE)) return;
    // One that was repeated is one that was asked for.
    const merged = questions - new Set(made.map(({ path }) => path)).size;
    saved.inc({ by: 'merged' }, merged);
  }

  return {
    registry,
    start(standing) {
      addGauges(registry, standing, driftFields);
      return startRuntimeGauges(registry);
    },
    countRejection: (status) => rejections.inc({ status: status === null ? 'none' : String(status) }),
    count(operation) {
      const { outcome, codes, status, durationMs } = operation;
      const name = nameOf(operation);
      operations.inc({ operation: name, outcome });
      durations.observe({ operation: name }, durationMs / 1000);
      for (const code of codes) errors.inc({ code });
      if (codes.includes(TOO_EXPENSIVE)) refusals.inc();
      responses.inc({ status: String(status) });
      countCalls(operation);
    },
  };
}
