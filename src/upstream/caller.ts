import { hash } from 'node:crypto';
import { type Signal, Switch } from '../signal.ts';
import { UpstreamAbandoned, UpstreamTimeout } from './errors.ts';

/** Whose request this is. */
export interface Caller {
  /** Goes upstream as it came, and nowhere else. */
  readonly apiKey: string;
  /** SHA-256 of the whole key, in hex: what everything that outlives a request knows the key by. */
  readonly owner: string;
  /** Aborts when nobody waits any more, with the UpstreamError that says why. */
  readonly signal: Signal;
  /**
   * Pays for a call that is to go out, and returns how to take that back if it does not.
   * @throws UpstreamUnaffordable where the operation may make no more
   */
  readonly pay?: () => () => void;
  /** Whose logs and traces a call belongs to. */
  readonly request?: { readonly requestId: string } | undefined;
  /** Is told of a call that goes out, by its path, and returns what names it in a trace (`traceparent`), where that goes along. */
  readonly depart?: (path: string) => string | undefined;
  /** Is told of every call made for this caller, when it has ended. */
  readonly report?: (call: UpstreamCall) => void;
}

/** One REST call that an operation needed, and how it was had. */
export interface UpstreamCall {
  method: 'GET';
  /** Below the base address, with `include`: `/v1/site/SITE-1?include=clients`. */
  path: string;
  /** Null when no complete answer came. */
  status: number | null;
  durationMs: number;
  /**
   * `network`: it was made. `flight`: it joined an equal or larger call of the same key that was under way. `cache`,
   * `stale`: an earlier answer served, the latter in place of a failure. `gate`, `breaker`, `queue`: it was not made,
   * because the key's rate limit is spent, the REST API is down, or it ended while it waited for a connection.
   */
  source: 'network' | 'flight' | 'cache' | 'stale' | 'gate' | 'breaker' | 'queue';
  /** Of a 429: whole seconds from 0 to 3600 until a new try makes sense, where the upstream told. */
  retryAfter?: number;
  /** Of an answer that was kept: how old it is. */
  ageMs?: number;
}

/**
 * The caller of one operation, who waits until he leaves (`departure` aborts) or the operation has taken `timeoutMs`.
 * Either way `departure` has to abort in the end, for the clock runs until then.
 */
export function createCaller(
  apiKey: string,
  departure: Signal,
  timeoutMs: number,
  request?: Caller['request'],
): Caller {
  const patience = new Switch();
  const deadline = setTimeout(() => patience.abort(() => new UpstreamTimeout(timeoutMs)), timeoutMs);
  const leave = () => {
    clearTimeout(deadline);
    patience.abort(() => new UpstreamAbandoned());
  };
  if (departure.aborted) leave();
  else departure.addEventListener('abort', leave);
  return { apiKey, owner: hash('sha256', apiKey), signal: patience, request };
}
