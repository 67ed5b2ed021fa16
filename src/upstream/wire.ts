import { createBreaker } from './breaker.ts';
import type { Exchange } from './exchange.ts';
import type { Landing } from './flights.ts';
import type { Gates } from './gates.ts';
import { Passage, passGate, type WireRequest } from './passage.ts';
import { createQueue } from './queue.ts';
import type { HearFailure } from './report.ts';
import { createRetry } from './retry.ts';
import { createSockets } from './sockets.ts';

/** The way of one call to the REST API: the key's gate, the breaker, the wait for a connection, the exchange, a retry. */
export interface Wire {
  /**
   * Brings the answer, whatever its status, to the landing, or fails there: with the reason of `signal` when that aborts, or with
   * - UpstreamRateLimited while the key's rate limit is spent: nothing is asked
   * - UpstreamSpared where the upstream is down or too many calls wait: nothing is asked
   * - UpstreamUnaffordable where the caller may make no more calls: nothing is asked
   * - UpstreamUnavailable, UpstreamInvalidResponse as a `Recipient` hears of
   * What is made on the way, and what is spared, is reported to the caller.
   */
  get(request: WireRequest, landing: Landing<Exchange>): void;
  /** How it stands at this moment. */
  state(): WireState;
  close(): Promise<void>;
}

export interface WireState {
  isBreakerOpen: boolean;
  /** How many calls have a connection, of how many there may be, and how many wait for one. */
  atWork: number;
  connections: number;
  waiting: number;
  /** How many keys' gates are closed. */
  gates: number;
}

export interface WireOptions {
  /** Base address; a call's path is added to its own. */
  url: URL;
  timeoutMs: number;
  connections: number;
  /** How many calls may wait for a connection. */
  queue: number;
  maxResponseBytes: number;
  retryPercent: number;
  breakerFailurePercent: number;
  breakerProbeMs: number;
  onFailure?: HearFailure | undefined;
}

export function createWire(options: WireOptions, gates: Gates): Wire {
  const { url, connections, maxResponseBytes, onFailure } = options;
  const basePath = url.pathname.replace(/\/+$/, '');
  const sockets = createSockets(url.origin, connections, options.timeoutMs);
  const retry = createRetry(options.retryPercent);
  const queue = createQueue({ connections, places: options.queue });
  const breaker = createBreaker({
    failurePercent: options.breakerFailurePercent,
    probeMs: options.breakerProbeMs,
    givenUpAfterMs: options.timeoutMs / 2,
    // The other half of the connections is for the calls that the first success lets in.
    maxProbes: Math.ceil(connections / 2),
  });

  const road = { gates, breaker, queue, sockets, basePath, maxResponseBytes, onFailure };

  function second(request: WireRequest): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      new Passage(road, request, { answered: resolve, failed: reject }).begin();
    });
  }

  return {
    get(request, landing) {
      try {
        passGate(gates, request);
      } catch (error) {
        return landing.failed(error as Error);
      }
      const once = request.mayRepeat ? retry.once(landing, () => second(request), request) : landing;
      new Passage(road, request, once).begin();
    },
    state: () => ({
      isBreakerOpen: breaker.isOpen,
      atWork: queue.atWork,
      connections,
      waiting: queue.waiting,
      gates: gates.count(),
    }),
    // Whoever waits has been answered by now: what is left is waited for by nobody.
    close: () => sockets.pool.destroy(),
  };
}
