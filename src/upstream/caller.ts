import { hash } from 'node:crypto';
import { Aborter, type Signal } from '../abort.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { UpstreamCancelled } from './errors.ts';

/** Who has a key. */
export interface KeyHolder {
  /** Sent to the upstream as it came, and nowhere else. */
  readonly apiKey: string;
  /** SHA-256 of the whole key, in hex: identifies the key in everything that outlives a request. */
  readonly keyHash: string;
}

/** On whose behalf REST calls are made: a key, and one operation. */
export interface Caller extends KeyHolder {
  /** Aborts when the response is not needed any more, with the UpstreamError that says why. */
  readonly signal: Signal;
  /** The REST calls that the operation may make; absent: any number. */
  readonly budget?: Budget;
  /** The request to whose logs and traces the calls belong. */
  readonly request?: { readonly requestId: string } | undefined;
  /** Called before a call is sent, with its path; returns the `traceparent` to send along, if any. */
  readonly onSend?: (path: string) => string | undefined;
  /** Called with every call made for this caller, when it has ended; it began at `startedAtMs` (`performance.now()`). */
  readonly report?: (call: UpstreamCall, startedAtMs: number) => void;
}

interface Budget {
  /** Takes one call out of the budget; an error when all are used. */
  reserve(): Error | undefined;
  /** Puts back one that was not sent. */
  release(): void;
}

/** One REST call that an operation needed, and where its response came from. */
export interface UpstreamCall {
  method: 'GET';
  /** Below the base address, with `include`: `/v1/site/SITE-1?include=clients`. */
  path: string;
  /** Null when no complete response came. */
  status: number | null;
  durationMs: number;
  /**
   * `network`: the call was sent. `coalesced`: it joined an equal or larger call of the same key that was in flight.
   * `cache`, `stale`: served from the cache, the latter in place of a failure. The call was not sent:
   * `rate-limited`, the key's rate limit is exceeded; `circuit-open`, the REST API is down; `queue-full`, it ended
   * while it waited for a connection, because the queue was full, at its deadline or with its caller.
   */
  source: 'network' | 'coalesced' | 'cache' | 'stale' | 'rate-limited' | 'circuit-open' | 'queue-full';
  /** 2 where the call was repeated after a failure; absent: the first. */
  attempt?: 2;
  /** Of a 429: `Retry-After` in whole seconds from 0 to 3600, where the upstream sent it. */
  retryAfter?: number;
  /** Of a cached response: its age. */
  ageMs?: number;
}

/**
 * The caller of one operation. Its signal aborts when `disconnected` does, or after `timeoutMs`. `disconnected` has to
 * abort in the end either way: until then the deadline is pending. The digest of a key is computed once for a `connection`.
 */
export function createCaller(
  apiKey: string,
  disconnected: Signal,
  timeoutMs: number,
  request?: Caller['request'],
  connection?: object,
): Caller {
  const caller = new OperationCaller(apiKey, keyHashOf(apiKey, connection), timeoutMs, request);
  if (disconnected.aborted) caller.cancel();
  else disconnected.addEventListener('abort', () => caller.cancel());
  return caller;
}

/** A class, because one is made for each operation. */
class OperationCaller implements Caller {
  readonly apiKey: string;
  readonly keyHash: string;
  readonly request: Caller['request'];
  readonly signal = new Aborter();
  readonly #deadline: Deadline;

  constructor(apiKey: string, keyHash: string, timeoutMs: number, request: Caller['request']) {
    this.apiKey = apiKey;
    this.keyHash = keyHash;
    this.request = request;
    this.#deadline = startDeadline(timeoutMs, this.signal);
  }

  cancel(): void {
    this.#deadline.clear();
    this.signal.abort(() => new UpstreamCancelled());
  }
}

/** The latest key of each connection, with its digest: few connections have several. */
const latestKeys = new WeakMap<object, KeyHolder>();

/** The digest of a key: computed once for a `connection`. */
export function keyHashOf(apiKey: string, connection: object | undefined): string {
  const latest = connection && latestKeys.get(connection);
  if (latest?.apiKey === apiKey) return latest.keyHash;
  const keyHash = hash('sha256', apiKey);
  if (connection) latestKeys.set(connection, { apiKey, keyHash });
  return keyHash;
}
