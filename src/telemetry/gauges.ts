import { Counter, Gauge, type Registry } from 'prom-client';

/** How a gateway stands at one moment. */
export interface Standing {
  connections: number;
  /** Response bytes that clients have not taken yet. */
  unreadBytes: number;
  /** Connections that were closed for that. */
  closedUnread: number;
  operationsAtWork: number;
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
}

type Numbers = readonly [name: string, help: string, read: (standing: Standing) => number][];

const gauges: Numbers = [
  ['portico_connections', 'Connections that callers hold', ({ connections }) => connections],
  [
    'portico_unread_response_bytes',
    'Bytes of responses that clients have not taken yet',
    ({ unreadBytes }) => unreadBytes,
  ],
  ['portico_operations_at_work', 'Operations at work', ({ operationsAtWork }) => operationsAtWork],
  ['portico_compiled_operations', 'Operations that are compiled', ({ compiled }) => compiled.operations],
  ['portico_compiled_bytes', 'What compiled operations take, as estimated', ({ compiled }) => compiled.bytes],
  ['portico_documents', 'Documents that are kept parsed', ({ documents }) => documents.count],
  ['portico_documents_bytes', 'What parsed documents take, as estimated', ({ documents }) => documents.bytes],
  ['portico_upstream_calls_at_work', 'REST calls that have a connection', ({ upstream }) => upstream.active],
  [
    'portico_upstream_connections_max',
    'Connections to the REST API that there may be',
    ({ upstream }) => upstream.connections,
  ],
  [
    'portico_upstream_calls_waiting',
    'REST calls that wait for a connection',
    ({ upstream }) => upstream.queued,
  ],
  ['portico_upstream_flights', 'REST calls that others can join', ({ upstream }) => upstream.inFlightCalls],
  ['portico_gates_closed', 'Keys whose rate limit is spent', ({ upstream }) => upstream.rateLimitedKeys],
];

/** Has the registry ask how the gateway stands, when it is read and not before. */
export function addGauges(
  registry: Registry,
  standing: () => Standing,
  driftFields: readonly string[],
): void {
  const registers = [registry];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'sum',
      collect() {
        this.set(read(standing()));
      },
    });
  }
  new Gauge({
    name: 'portico_breaker_open',
    help: '1 while the REST API counts as down',
    registers,
    // Of several processes, one is enough to look into it.
    aggregator: 'max',
    collect() {
      this.set(standing().upstream.isBreakerOpen ? 1 : 0);
    },
  });
  new Counter({
    name: 'portico_slow_readers_closed_total',
    help: 'Connections that were closed because MAX_UNREAD_BYTES waited to be read',
    registers,
    collect() {
      this.reset();
      this.inc(standing().closedUnread);
    },
  });
  new Counter({
    name: 'portico_fast_path_operations_total',
    help: 'Operations that were answered on the express lane',
    registers,
    collect() {
      this.reset();
      this.inc(standing().fastPathOperations);
    },
  });
  new Counter({
    name: 'portico_drift_total',
    help: 'Answers of the REST API that differed from its contract, by field',
    labelNames: ['field'],
    registers,
    collect() {
      this.reset();
      for (const field of driftFields) this.inc({ field }, 0);
      for (const [field, count] of standing().drift) this.inc({ field }, count);
    },
  });
}
