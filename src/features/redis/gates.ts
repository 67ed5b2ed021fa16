import { LRUCache } from 'lru-cache';
import { type Layer, reportCall } from '../../rest/call.ts';
import type { KeyHolder } from '../../rest/caller.ts';
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

  function remember({ keyHash }: KeyHolder, leftMs: number): number {
    const opensAtMs = performance.now() + leftMs;
    gates.set(keyHash, opensAtMs, { ttl: Math.max(leftMs, LOOK_MS) });
    return opensAtMs;
  }

  async function look(caller: KeyHolder): Promise<number> {
    const [closure] = await store.get(caller, [NAME]);
    const isClosed = closure && isFresh(closure);
    return remember(caller, isClosed ? closure.storedAtMs + closure.ttl.freshMs - Date.now() : 0);
  }

  function close(caller: KeyHolder, ms: number): void {
    remember(caller, ms);
    const ttl = { freshMs: ms, staleMs: 0 };
    store.set(caller, NAME, { body: Buffer.alloc(0), storedAtMs: Date.now(), ttl });
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
    const opensAtMs = gates.get(caller.keyHash);
    if (opensAtMs === undefined) look(caller).then(onKnown).catch(done);
    else onKnown(opensAtMs);
  };

  /** Closes the gate after a 429 with `Retry-After`. */
  const inner: Layer = (next) => (request, done) =>
    next(request, (outcome) => {
      const seconds = outcome instanceof Error ? 0 : outcome.retryAfter;
      if (seconds) close(request.caller, seconds * 1000);
      done(outcome);
    });

  return { outer: [outer], inner: [inner] };
}
