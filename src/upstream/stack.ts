import { admission } from './admission.ts';
import { type BreakerOptions, createBreaker } from './breaker.ts';
import { type Cache, caching, type Ttl } from './cache.ts';
import { deadline, decoding, type Layer, type OnFailure, retry, revalidation } from './call.ts';
import type { Drift } from './json.ts';
import { FairLimiter } from './limiter.ts';
import type { RateLimitGate } from './rate-limit.ts';
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
  cache: { ttl: Ttl };
  drift: Drift;
  /** Absent or null: no live queries, whose calls are conditional. */
  live?: object | null;
  onFailure?: OnFailure | undefined;
  onDeprecation?: Parameters<typeof createTransport>[0]['onDeprecation'];
}

/** The state of the layers that have one. */
export type StackState = ReturnType<ReturnType<typeof createStack>['state']>;

/**
 * The way of a REST call: each layer calls the next one, and the outcome comes back through them in reverse
 * order. A new layer is a function, and a line here.
 */
export function createStack(options: StackOptions, gate: RateLimitGate, cache: Cache | null) {
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
    ...(cache ? [caching(cache, options.cache.ttl)] : []),
    decoding(drift, onFailure),
    singleFlight.layer,
    deadline(timeoutMs),
    retry(options.retryPercent),
    admission({ gate, breaker, limiter }),
    ...(options.live ? [revalidation] : []),
  ];
  const transport = createTransport({ ...options, connections: sockets, basePath });

  return {
    send: layers.reduceRight((next, layer) => layer(next), transport),
    state: () => ({
      isBreakerOpen: breaker.isOpen,
      /** How many calls have a connection, of how many there may be, and how many wait for one. */
      active: limiter.active,
      connections,
      queued: limiter.queued,
      /** How many keys are rejected because of their rate limit. */
      rateLimitedKeys: gate.count(),
      /** How many calls can be joined. */
      inFlightCalls: singleFlight.size,
    }),
    close: () => sockets.close(),
  };
}
