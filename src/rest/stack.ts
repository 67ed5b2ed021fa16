import type { Gauge } from '../observers/gauges.ts';
import { type Layer, request, type UpstreamRequest } from './call.ts';
import { createClient } from './client.ts';
import { decoding } from './decoding.ts';
import { admission, createRateLimitGate } from './guards/admission.ts';
import { type BreakerOptions, createBreaker } from './guards/breaker.ts';
import { FairLimiter } from './guards/limiter.ts';
import { retry } from './guards/retry.ts';
import type { Drift } from './json.ts';
import { singleFlight } from './single-flight.ts';
import { same } from './sync-promise.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export interface UpstreamParts extends Pick<TransportOptions, 'readNotices'> {
  /** Layers: before the decoding, whose outcomes they get, and before the transport. */
  outer: readonly Layer[];
  inner: readonly Layer[];
  close?: (() => void) | undefined;
}

interface UpstreamOptions
  extends UpstreamParts,
    TransportOptions,
    Pick<BreakerOptions, 'minFailures' | 'probeMs'> {
  drift: Drift;
  connections: number;
  maxQueued: number;
  retryPercent: number;
}

/** Each layer calls the next one, and the outcome comes back through them in reverse order. */
export function createUpstream(options: UpstreamOptions) {
  const { connections, timeoutMs, drift, onFailure } = options;
  const gate = createRateLimitGate();
  const limiter = new FairLimiter(connections, options.maxQueued);
  const breaker = createBreaker({
    ...options,
    cancelledAsTimeoutMs: timeoutMs / 2,
    // The other half of the connections is for the calls that the first success lets in.
    maxProbes: Math.ceil(connections / 2),
  });
  const transport = createTransport(options);

  const layers: Layer[] = [
    ...options.outer,
    decoding(drift, onFailure),
    singleFlight(),
    retry(timeoutMs, options.retryPercent),
    admission(gate, breaker, limiter),
    ...options.inner,
  ];
  const send = layers.reduceRight((next, layer) => layer(next), transport.send);
  const limitedKeys: Gauge = {
    name: 'portico_rate_limited_keys',
    help: 'Keys whose REST API rate limit is exhausted',
    read: gate.count,
  };
  const openBreaker: Gauge = {
    name: 'portico_breaker_open',
    help: '1 while the circuit breaker is open, for one key or for all',
    read: () => Number(breaker.isOpen),
  };
  return {
    client: createClient(send),
    /** The response to a call that no operation makes. */
    request: (wanted: UpstreamRequest) => request(send, wanted, same),
    gauges: [...limiter.gauges, limitedKeys, openBreaker],
    async close() {
      options.close?.();
      await transport.close();
    },
  };
}
