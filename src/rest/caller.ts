import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Aborter, type Signal } from './abort.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled, UpstreamTimeout } from './errors.ts';
import type { Notices } from './notices.ts';

/** The requests with one key share this object, by which each part finds what it knows of the key. */
export interface ApiKey {
  /** Sent to the upstream as it came, and nowhere else. */
  readonly text: string;
  /** SHA-256 of the whole key, in hex: identifies the key in everything that is stored or reported. */
  readonly hash: string;
}

const createKey = (text: string): ApiKey => ({ text, hash: hash('sha256', text) });
/** Of more keys the one whose latest request is the oldest is forgotten, with what is known of it: 0.5 kB for most. */
const keys = new LRUCache<string, ApiKey>({ max: 2000, memoMethod: createKey });
/** The key of this text. `memo` alone copies its options at each call. */
export const apiKeyOf = (text: string) => keys.get(text) ?? (keys.memo(text) as ApiKey);

/** On whose behalf REST calls are made: a key, and one operation. */
export interface Caller {
  readonly key: ApiKey;
  /** Aborts when the response is not needed any more, with the UpstreamError that says why. */
  readonly signal: Signal;
  /** The REST calls that the operation may make; absent: any number. */
  readonly budget?: CallBudget;
  /** The request to whose logs and traces the calls belong. */
  readonly request?: { readonly requestId: string } | undefined;
  /** Called before a call is sent, with its path; returns the `traceparent` to send along, if any. */
  readonly onSend?: (path: string) => string | undefined;
  /** Called with what the REST API says in the response to a call for this caller. */
  readonly onNotices?: (notices: Notices) => void;
  /** Called when a call for this caller has ended; it began at `startedAtMs` (`performance.now()`). */
  readonly report?: (call: UpstreamCall, startedAtMs: number) => void;
}

/** How many REST calls one operation has made, of how many it may. */
export class CallBudget {
  readonly limit: number;
  used = 0;
  #rejected = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes one call; an error when all are used. */
  reserve(): UpstreamBudgetExceeded | undefined {
    if (this.used < this.limit) {
      this.used += 1;
      return undefined;
    }
    this.#rejected += 1;
    return new UpstreamBudgetExceeded(this.limit + this.#rejected, this.limit);
  }

  /** Puts back a call that was not sent. */
  release(): void {
    this.used -= 1;
  }
}

/** One REST call that an operation needed, and where its response came from. */
export interface UpstreamCall {
  method: 'GET';
  /** Below the base address, with `include`: `/v1/site/SITE-1?include=clients`. */
  path: string;
  /** Null when no complete response came. */
  status: number | null;
  durationMs: number;
  /** docs/explain.md#sources */
  source: 'network' | 'coalesced' | 'cache' | 'stale' | 'rate-limited' | 'circuit-open' | 'queue-full';
  /** 2 if the call was repeated after a failure; absent: the first. */
  attempt?: 2 | undefined;
  /** Of a 429: `Retry-After` in whole seconds from 0 to 3600, if the upstream sent it. */
  retryAfter?: number | undefined;
  ageMs?: number | undefined;
}

/** Its signal aborts after `timeoutMs`, or when `disconnected` does, until which the timer is pending. */
export function createCaller(
  key: ApiKey,
  disconnected: Signal,
  timeoutMs: number,
  request?: Caller['request'],
): Caller {
  const signal = new Aborter();
  const deadline = startDeadline(timeoutMs, signal);
  const cancel = () => {
    clearTimeout(deadline);
    signal.abort(() => new UpstreamCancelled());
  };
  if (disconnected.aborted) cancel();
  else disconnected.addEventListener('abort', cancel);
  return { key, signal, request };
}

/** Aborts `signal` with an UpstreamTimeout after `timeoutMs`. The timer does not keep the process running. */
export function startDeadline(timeoutMs: number, signal: Aborter): NodeJS.Timeout {
  return setTimeout(() => signal.abort(() => new UpstreamTimeout(timeoutMs)), timeoutMs).unref();
}
