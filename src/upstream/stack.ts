import type { Gauge } from '../gauges.ts';
import { deadline, decoding, type Layer, type OnFailure, retry } from './call.ts';
import { admission } from './guards/admission.ts';
import { type BreakerOptions, createBreaker } from './guards/breaker.ts';
import { FairLimiter } from './guards/limiter.ts';
import type { RateLimitGate } from './guards/rate-limit.ts';
import type { Drift } from './json.ts';
import type { NoticeFields } from './notices.ts';
import { createSingleFlight } from './single-flight.ts';
import { Connections, createTransport } from './transport.ts';

/** Other values than the constants beside the code. */
export interface UpstreamBounds extends Pick<BreakerOptions, 'failurePercent' | 'probeMs'> {
  /** How many calls may wait for a connection. */
  maxQueued?: number;
  retryPercent?: number;
}

export interface StackOptions extends UpstreamBounds {
  /** Base address; the path of a call is appended to its own. */
  url: URL;
  /** The deadline of a call, its retry included. */
  timeoutMs: number;
  connections: number;
  maxResponseBytes: number;
  /** Contributed layers: before the decoding, whose outcomes they get, and before the transport. */
  outer: readonly Layer[];
  inner: readonly Layer[];
  /** Contributed: what a response says of the key and the REST API; absent: nothing is read. */
  notices?: NoticeFields | undefined;
  drift: Drift;
  onFailure?: OnFailure | undefined;
  onDeprecation?: Parameters<typeof createTransport>[0]['onDeprecation'];
}

/**
 * The way of a REST call: each layer calls the next one, and the outcome comes back through them in reverse
 * order. A new layer is a function, and a line here; that of a feature is a line of `features.ts`.
 */
export function createStack(options: StackOptions, gate: RateLimitGate) {
  const { url, connections, timeoutMs, drift, onFailure } = options;
  const singleFlight = createSingleFlight();
  const limiter = new FairLimiter({ connections, maxQueued: options.maxQueued });
  const breaker = createBreaker({
    failurePercent: options.failurePercent,
    probeMs: options.probeMs,
    cancelledAsTimeoutMs: timeoutMs / 2,
    // The other half of the connections is for the calls that the first success lets in.
    maxProbes: Math.ceil(connections / 2),
  });
  const sockets = new Connections(url.origin, timeoutMs);
  const basePath = url.pathname.replace(/\/+$/, '');

  const layers: Layer[] = [
    ...options.outer,
    decoding(drift, onFailure),
    singleFlight.layer,
    deadline(timeoutMs),
    retry(options.retryPercent),
    admission({ gate, breaker, limiter }),
    ...options.inner,
  ];
  const transport = createTransport({ ...options, connections: sockets, basePath });

  return {
    send: layers.reduceRight((next, layer) => layer(next), transport),
    gauges: [
      ...limiter.gauges,
      {
        name: 'portico_upstream_in_flight_calls',
        help: 'REST calls in flight that equal calls can join',
        read: () => singleFlight.size,
      },
      {
        name: 'portico_rate_limited_keys',
        help: 'Keys whose REST API rate limit is exhausted',
        read: () => gate.count(),
      },
      {
        name: 'portico_breaker_open',
        help: '1 while the circuit breaker is open',
        read: () => Number(breaker.isOpen),
      },
    ] satisfies Gauge[],
    close: () => sockets.close(),
  };
}
