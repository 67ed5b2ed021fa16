import { type Layer, request, type UpstreamRequest } from './call.ts';
import { createClient } from './client.ts';
import { decoding } from './decoding.ts';
import { admission, RateLimitGate } from './guards/admission.ts';
import { createBreaker } from './guards/breaker.ts';
import { FairQueue } from './guards/fair-queue.ts';
import { retry } from './guards/retry.ts';
import type { Drift } from './json.ts';
import { singleFlight } from './single-flight.ts';
import { same } from './sync-promise.ts';
import { createTransport, type TransportOptions } from './transport.ts';

/** What features contribute. */
export interface UpstreamParts extends Pick<TransportOptions, 'readNotices'> {
  /** Layers before the decoding: they get its outcomes. */
  outer: readonly Layer[];
  /** Layers before the transport. */
  inner: readonly Layer[];
  close?: (() => void) | undefined;
}

interface UpstreamOptions extends UpstreamParts, TransportOptions {
  drift: Drift;
  minFailures: number;
  probeMs: number;
  connections: number;
  maxQueued: number;
  retryPercent: number;
}

/** Each layer calls the next one, and the outcome comes back through them in reverse order. */
export function createUpstream(options: UpstreamOptions) {
  const { connections, timeoutMs, drift, onFailure } = options;
  const gate = new RateLimitGate();
  const queue = new FairQueue(connections, options.maxQueued);
  const breaker = createBreaker({
    ...options,
    cancelledAsTimeoutMs: timeoutMs / 2,
    // At most half of the connections are for probes: the others are for the calls that the first success lets in.
    maxProbes: Math.ceil(connections / 2),
  });
  const transport = createTransport(options);

  const layers: Layer[] = [
    ...options.outer,
    decoding(drift, onFailure),
    singleFlight(),
    retry(timeoutMs, options.retryPercent),
    admission(gate, breaker, queue),
    ...options.inner,
  ];
  const send = layers.reduceRight((next, layer) => layer(next), transport.send);
  return {
    client: createClient(send),
    /** The response to a call that no operation makes. */
    request: (wanted: UpstreamRequest) => request(send, wanted, same),
    gauges: [...queue.gauges, gate.gauge, breaker.gauge],
    async close() {
      options.close?.();
      await transport.close();
    },
  };
}
