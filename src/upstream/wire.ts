import type { Signal } from '../signal.ts';
import { createBreaker, type Trial } from './breaker.ts';
import type { Caller } from './caller.ts';
import { UpstreamAbandoned, UpstreamRateLimited, UpstreamSpared } from './errors.ts';
import { type Exchange, exchange } from './exchange.ts';
import type { Gates } from './gates.ts';
import { createQueue, type Leave } from './queue.ts';
import { type HearFailure, type Report, reporterOf } from './report.ts';
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

interface WireRequest {
  caller: Caller;
  /** Below the base address. */
  path: string;
  signal: Signal;
  /** Whether it is asked again where that may help. */
  mayRepeat: boolean;
}

/** Takes back what was paid for a call that does not go out. */
type TakeBack = (() => void) | undefined;

/** What a call has that may go out: a connection, to be given back, and the breaker's ear. */
interface Place {
  leave(): void;
  trial: Trial;
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

  /** @throws UpstreamRateLimited while the key's gate is closed */
  function pass({ caller, path }: WireRequest, report?: Report): void {
    const seconds = gates.secondsClosed(caller);
    if (seconds === 0) return;
    const told = report ?? reporterOf(caller, path);
    told('gate', 429, { retryAfter: seconds });
    throw new UpstreamRateLimited(seconds);
  }

  /** Waits for a connection; what refuses the call before or after takes what was paid for it back. */
  function enter(request: WireRequest, report: Report): Place | Promise<Place> {
    const { caller, signal } = request;
    if (breaker.refuses()) {
      report('breaker', null);
      throw new UpstreamSpared('breaker');
    }
    const takeBack = caller.pay?.();
    let entered: ReturnType<typeof queue.enter>;
    try {
      entered = queue.enter(caller.owner, signal);
    } catch (error) {
      return refuse(error, report, takeBack);
    }
    if (typeof entered === 'function') return placed(request, report, entered, takeBack);
    return entered.then(
      (leave) => placed(request, report, leave, takeBack),
      (error: unknown) => refuse(error, report, takeBack),
    );
  }

  function refuse(error: unknown, report: Report, takeBack: TakeBack): never {
    report('queue', null);
    takeBack?.();
    throw error;
  }

  /** The gate may have closed, and the breaker opened, while the call waited. */
  function placed(request: WireRequest, report: Report, leave: Leave, takeBack: TakeBack): Place {
    try {
      pass(request, report);
      return { leave, trial: breaker.begin() };
    } catch (error) {
      if (error instanceof UpstreamSpared) report(error.by, null);
      takeBack?.();
      leave();
      throw error;
    }
  }

  async function attempt(request: WireRequest, isRepeat: boolean): Promise<Exchange> {
    const { caller, path, signal } = request;
    const report = reporterOf(caller, path);
    const entered = enter(request, report);
    const { leave, trial } = entered instanceof Promise ? await entered : entered;
    // A call that is given up may still hold its connection; one that is answered first learns what it can from that.
    let [isOver, isHeld] = [false, true];
    const onReleased = () => {
      isHeld = false;
      if (isOver) leave();
    };
    try {
      const { apiKey } = caller;
      const traceparent = caller.depart?.(path);
      const sent = { path: basePath + path, apiKey, traceparent, signal, mayBeStale: !isRepeat, onReleased };
      const answer = await exchange(sockets, sent, maxResponseBytes);
      trial.answered(answer.status);
      learn(caller, answer, report);
      return answer;
    } catch (error) {
      trial.failed(error);
      const call = report('network', null);
      if (!(error instanceof UpstreamAbandoned)) onFailure?.(call, caller, error);
      throw error;
    } finally {
      isOver = true;
      if (!isHeld) leave();
    }
  }

  function learn(caller: Caller, { status, headers }: Exchange, report: Report): void {
    const wait = status === 429 ? retryAfterFrom(headers['retry-after'], Date.now()) : undefined;
    const call = report('network', status, wait === undefined ? undefined : { retryAfter: wait });
    if (status !== 200 && status !== 404) onFailure?.(call, caller);
    if (wait !== undefined) gates.close(caller, wait);
  }

  return {
    get(request) {
      const { signal, mayRepeat } = request;
      try {
        pass(request);
      } catch (error) {
        return Promise.reject(error);
      }
      const call = (isRepeat: boolean) => attempt(request, isRepeat);
      return mayRepeat ? retry.run(call, signal) : call(false);
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
