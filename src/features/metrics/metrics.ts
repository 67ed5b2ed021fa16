import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Histogram, Gauge as PrometheusGauge, Registry } from 'prom-client';
import { version } from '../../config/settings.ts';
import type { Gauge } from '../../observers/gauges.ts';
import type { Observer } from '../../observers/observer.ts';
import { endpointOf, type Operation } from '../../observers/operation.ts';

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** The counters and histograms of requests. */
const help = {
  portico_operations_total: 'Finished requests to the GraphQL endpoint, by operation and outcome',
  portico_operation_duration_seconds: 'Time from the request header to the last byte of the response',
  portico_operation_errors_total: 'Operations whose response has an error, by code',
  portico_http_responses_total: 'Responses of the GraphQL endpoint, by HTTP status',
  portico_client_operations_total:
    'Finished requests to the GraphQL endpoint, by the name that the client gives itself',
  portico_http_rejections_total:
    'Requests rejected before the GraphQL endpoint, by HTTP status; none: the connection was closed',
  portico_upstream_calls_total: 'REST calls that operations needed, by endpoint, status and source',
  portico_upstream_call_duration_seconds: 'Duration of the REST calls that were sent',
};

/** The metrics of one gateway, for Prometheus. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: keyof typeof help, ...labelNames: Label[]) =>
    new Counter({ name, help: help[name], labelNames, registers });
  const histogram = <Label extends string>(name: keyof typeof help, ...labelNames: Label[]) =>
    new Histogram({ name, help: help[name], labelNames, buckets: durationBuckets, registers });
  const labelOf = createNames();
  const clientOf = createClientNames();

  const operations = counter('portico_operations_total', 'operation', 'outcome');
  const durations = histogram('portico_operation_duration_seconds', 'operation');
  const errors = counter('portico_operation_errors_total', 'code');
  const responses = counter('portico_http_responses_total', 'status');
  const clients = counter('portico_client_operations_total', 'client');
  const rejections = counter('portico_http_rejections_total', 'status');
  const calls = counter('portico_upstream_calls_total', 'endpoint', 'status', 'source');
  const callDurations = histogram('portico_upstream_call_duration_seconds', 'endpoint');

  function countCalls({ calls: made }: Operation): void {
    for (const call of made) {
      const { status, source, durationMs } = call;
      const endpoint = endpointOf(call);
      calls.inc({ endpoint, status: `${status ?? 'none'}`, source });
      if (source === 'network') callDurations.observe({ endpoint }, durationMs / 1000);
    }
  }

  return {
    /** The registry of all metrics. */
    registry,
    /** Adds what is read at each scrape: `gauges`, and numbers of the process. All `codes` start at 0. */
    start(gauges: readonly Gauge[], codes: readonly string[]): void {
      // `increase()` of Prometheus ignores the first value of a series.
      for (const code of codes) errors.inc({ code }, 0);
      for (const gauge of [...gauges, heapLimit]) addGauge(registry, gauge);
      const build = { name: 'portico_build_info', help: 'The version of the gateway, as a label', registers };
      new PrometheusGauge({ ...build, labelNames: ['version'] }).set({ version }, 1);
      collectDefaultMetrics({ register: registry });
    },
    onRejected: ({ status }) => rejections.inc({ status: `${status ?? 'none'}` }),
    onFinished(operation) {
      const { outcome, codes, status, durationMs, isStream } = operation;
      const name = labelOf(operation);
      operations.inc({ operation: name, outcome });
      clients.inc({ client: clientOf(operation) });
      if (!isStream) durations.observe({ operation: name }, durationMs / 1000);
      for (const code of codes) errors.inc({ code });
      responses.inc({ status: String(status) });
      countCalls(operation);
    },
  } satisfies Observer & { registry: Registry; start: unknown };
}

/** Names with a label of their own: of operations in trusted documents, of other operations, and of clients. */
const MAX_TRUSTED_NAMES = 1000;
const MAX_CLIENT_NAMES = 100;
const MAX_CLIENTS = 100;

/**
 * Returns the label of an operation: its name, if that is short enough and one of the first names in trusted
 * documents, or one of the first that got data from the REST API. The two limits are separate, so that
 * invented names displace no trusted name. No GraphQL name has the parentheses of the other labels.
 */
function createNames(): (operation: Operation) => string {
  const trusted = firstNames(MAX_TRUSTED_NAMES);
  const others = firstNames(MAX_CLIENT_NAMES);
  return ({ name, documentHash, isTrusted, calls }) => {
    if (documentHash === null) return '(none)';
    if (name === null) return '(anonymous)';
    if (name.endsWith('…')) return '(other)';
    return isTrusted ? trusted(name, true) : others(name, hasData(calls));
  };
}

/** A name that was cut or redacted, or that looks like one of the other labels. */
const NO_LABEL = /^[([]|…$/;

/** Returns the label of a client: its name, if that is one of the first that got data from the REST API. */
function createClientNames(): (operation: Operation) => string {
  const clients = firstNames(MAX_CLIENTS);
  return ({ clientName, calls }) => {
    if (clientName === null) return '(none)';
    return clients(clientName, hasData(calls) && !NO_LABEL.test(clientName));
  };
}

/** Returns a name that is one of the first `limit`, in which it is counted if it `mayAdd`; `(other)` for the rest. */
function firstNames(limit: number): (name: string, mayAdd: boolean) => string {
  const known = new Set<string>();
  return (name, mayAdd) => {
    if (mayAdd && known.size < limit) known.add(name);
    return known.has(name) ? name : '(other)';
  };
}

function hasData(calls: Operation['calls']): boolean {
  return calls.some(({ status }) => status === 200);
}

const heapLimit: Gauge = {
  name: 'nodejs_heap_size_limit_bytes',
  help: 'Heap size limit',
  read: () => getHeapStatistics().heap_size_limit,
};

function addGauge(registry: Registry, { name, help, read, label }: Gauge): void {
  const collect = function (this: Counter | PrometheusGauge) {
    this.reset();
    const value = read();
    if (typeof value === 'number') return this.inc(value);
    if (!label) return;
    for (const [one, count] of value) this.inc({ [label]: one }, count);
  };
  const labelNames = label ? [label] : [];
  const Metric = name.endsWith('_total') ? Counter : PrometheusGauge;
  new Metric({ name, help, labelNames, registers: [registry], collect });
}
