import { LRUCache } from 'lru-cache';
import { type Layer, reportCall } from '../../rest/call.ts';
import type { ApiKey } from '../../rest/caller.ts';
import { UpstreamRateLimited } from '../../rest/errors.ts';
import { isFresh, type SharedStore } from '../cache/index.ts';

/** How long a gate that was found open counts as open. */
const LOOK_MS = 1_000;
/** Stands for a path; all others begin with a slash. */
const NAME = 'gate';

/** Rate limits of keys: a 429 of one gateway closes the gate of the key in all that share `store`. */
export function sharedGates(store: SharedStore): Record<'outer' | 'inner', Layer[]> {
  /** When the gate opens, on the clock of `performance.now`; absent: Redis is asked. */
  const gates = new LRUCache<string, number>({ max: 10_000 });

  function remember({ hash }: ApiKey, leftMs: number): number {
    const opensAtMs = performance.now() + leftMs;
    gates.set(hash, opensAtMs, { ttl: Math.max(leftMs, LOOK_MS) });
    return opensAtMs;
  }

  async function look(key: ApiKey): Promise<number> {
    const [closure] = await store.get(key, [NAME]);
    const isClosed = closure && isFresh(closure);
    return remember(key, isClosed ? closure.storedAtMs + closure.ttl.freshMs - Date.now() : 0);
  }

  function close(key: ApiKey, ms: number): void {
    remember(key, ms);
    const ttl = { freshMs: ms, staleMs: 0 };
    store.set(key, NAME, { body: Buffer.alloc(0), storedAtMs: Date.now(), ttl });
  }

  /** Rejects a call while the gate of its key is closed. */
  const outer: Layer = (next) => (request, done) => {
    const { caller, target } = request;
    const onKnown = (opensAtMs: number) => {
      const nowMs = performance.now();
      const retryAfter = Math.ceil((opensAtMs - nowMs) / 1000);
      if (retryAfter <= 0) return next(request, done);
      reportCall(caller, target.path, nowMs, 'rate-limited', 429, { retryAfter });
      done(new UpstreamRateLimited(retryAfter));
    };
    const opensAtMs = gates.get(caller.key.hash);
    if (opensAtMs === undefined) look(caller.key).then(onKnown).catch(done);
    else onKnown(opensAtMs);
  };

  /** Closes the gate after a 429 with `Retry-After`. */
  const inner: Layer = (next) => (request, done) =>
    next(request, (outcome) => {
      const seconds = outcome instanceof Error ? 0 : outcome.retryAfter;
      if (seconds) close(request.caller.key, seconds * 1000);
      done(outcome);
    });

  return { outer: [outer], inner: [inner] };
}
