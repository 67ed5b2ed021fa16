import type { Signal } from '../signal.ts';
import { createBreaker } from './breaker.ts';
import type { Caller } from './caller.ts';
import { UpstreamRateLimited, UpstreamSpared } from './errors.ts';
import { type Exchange, exchange } from './exchange.ts';
import { createGates } from './gates.ts';
import { createQueue } from './queue.ts';
import { type Report, reporterOf } from './report.ts';
import { createRetry } from './retry.ts';
import { retryAfterFrom } from './retry-after.ts';
import { createSockets } from './sockets.ts';

/** The way of one call to the REST API: the key's gate, the breaker, the wait for a connection, the exchange, a retry. */
export interface Wire {
  /**
   * The answer, whatever its status. What is made on the way, and what is spared, is reported to the caller. Rejects
   * with the reason of `signal` when that aborts.
   * @throws UpstreamRateLimited while the key's rate limit is spent: nothing is asked
   * @throws UpstreamSpared where the upstream is down or too many calls wait: nothing is asked
   * @throws UpstreamUnaffordable where the caller may make no more calls: nothing is asked
   * @throws UpstreamUnavailable, UpstreamInvalidResponse as `exchange` does
   */
  get(request: WireRequest): Promise<Exchange>;
  close(): Promise<void>;
}

interface WireRequest {
  caller: Caller;
  /** Below the base address. */
  path: string;
  signal: Signal;
  /** Whether it is asked again where that may help. */
  mayRepeat: boolean;
}

interface Attempt extends WireRequest {
  report: Report;
  isRepeat: boolean;
  /** Called when the call goes out. */
  onSent(): void;
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
}

export function createWire(options: WireOptions): Wire {
  const { url, connections, maxResponseBytes } = options;
  const basePath = url.pathname.replace(/\/+$/, '');
  const sockets = createSockets(url.origin, connections, options.timeoutMs);
  const gates = createGates();
  const retry = createRetry(options.retryPercent);
  const queue = createQueue({ connections, places: options.queue });
  const breaker = createBreaker({
    failurePercent: options.breakerFailurePercent,
    probeMs: options.breakerProbeMs,
    givenUpAfterMs: options.timeoutMs / 2,
    // The other half of the connections is for the calls that the first success lets in.
    maxProbes: Math.ceil(connections / 2),
  });

  /** @throws UpstreamRateLimited while the key's gate is closed */
  function pass({ owner }: Caller, report: Report): void {
    const seconds = gates.secondsClosed(owner);
    if (seconds === 0) return;
    report('gate', 429, { retryAfter: seconds });
    throw new UpstreamRateLimited(seconds);
  }

  async function attempt(request: WireRequest, isRepeat: boolean): Promise<Exchange> {
    const { caller, path } = request;
    const report = reporterOf(caller, path);
    if (breaker.refuses()) {
      report('breaker', null);
      throw new UpstreamSpared('breaker');
    }
    const takeBack = caller.pay?.();
    let isSent = false;
    const onSent = () => {
      isSent = true;
    };
    try {
      return await connected({ ...request, report, isRepeat, onSent });
    } finally {
      if (!isSent) takeBack?.();
    }
  }

  async function connected({ caller, path, signal, report, isRepeat, onSent }: Attempt): Promise<Exchange> {
    const leave = await queued(caller.owner, signal, report);
    // A call that is given up may still hold its connection; one that is answered first learns what it can from that.
    let [isOver, isHeld] = [false, false];
    const onReleased = () => {
      isHeld = false;
      if (isOver) leave();
    };
    const send = () => {
      onSent();
      isHeld = true;
      const sent = {
        path: basePath + path,
        apiKey: caller.apiKey,
        signal,
        mayBeStale: !isRepeat,
        onReleased,
      };
      return exchange(sockets, sent, maxResponseBytes);
    };
    try {
      // The gate may have closed while this call waited.
      pass(caller, report);
      return await observed(caller, report, send);
    } finally {
      isOver = true;
      if (!isHeld) leave();
    }
  }

  async function observed(caller: Caller, report: Report, send: () => Promise<Exchange>) {
    try {
      const answer = await breaker.run(send);
      const wait =
        answer.status === 429 ? retryAfterFrom(answer.headers['retry-after'], Date.now()) : undefined;
      report('network', answer.status, { retryAfter: wait });
      if (wait !== undefined) gates.close(caller.owner, wait);
      return answer;
    } catch (error) {
      report(error instanceof UpstreamSpared ? error.by : 'network', null);
      throw error;
    }
  }

  async function queued(owner: string, signal: Signal, report: Report) {
    try {
      return await queue.enter(owner, signal);
    } catch (error) {
      report('queue', null);
      throw error;
    }
  }

  return {
    async get(request) {
      const { caller, path, signal, mayRepeat } = request;
      pass(caller, reporterOf(caller, path));
      const call = (isRepeat: boolean) => attempt(request, isRepeat);
      return mayRepeat ? retry.run(call, signal) : call(false);
    },
    // Whoever waits has been answered by now: what is left is waited for by nobody.
    close: () => sockets.pool.destroy(),
  };
}
