import {
  type Layer,
  type Outcome,
  reportCall,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../rest/call.ts';
import type { Caller } from '../../rest/caller.ts';
import { decoded } from '../../rest/decoding.ts';
import { isOutage, UpstreamForbidden } from '../../rest/errors.ts';
import { type Ttl, ttlOf } from './cache-control.ts';
import { type CacheEntry, type CacheStore, isFresh, type SharedStore } from './store.ts';

/**
 * Responds with a fresh entry in place of a call, and with a stale one in place of an outage. Stores what was
 * decoded, for as long as `configured` and the response allow, and deletes what a later response has made
 * invalid. `shared` is asked for what `cache` has no fresh entry of.
 */
export function caching(cache: CacheStore, configured: Ttl, shared?: SharedStore): Layer {
  return (next) => (request, done) => {
    const { caller, target, noCache } = request;
    if (!target.fromJson) return next(request, done);
    const onEntry = (entry: CacheEntry | undefined) => {
      if (entry && isFresh(entry)) return done(outcomeFrom(entry, 'cache', request));
      next(request, (outcome) => {
        const isError = outcome instanceof Error;
        // The resource is gone, or this key may no longer read it: no earlier response may stand in for it.
        if (isError ? outcome instanceof UpstreamForbidden : outcome.status === 404)
          remove(caller, target.allPaths());
        else if (!isError && !outcome.isStored) store(outcome, request);
        done(entry && isOutage(outcome) ? outcomeFrom(entry, 'stale', request) : outcome);
      });
    };
    const entry = noCache ? undefined : cache.get(caller, target.paths());
    if (!shared || noCache || (entry && isFresh(entry))) return onEntry(entry);
    lookUp(shared, request).then(onEntry).catch(done);
  };

  /** Keeps the shared entries in memory, so that the next request finds them there. */
  async function lookUp(
    { get }: SharedStore,
    { caller, target }: UpstreamRequest,
  ): Promise<CacheEntry | undefined> {
    const paths = target.paths();
    const entries = await get(caller, paths);
    for (const [n, path] of paths.entries()) {
      const entry = entries[n];
      if (entry) cache.set(caller, path, entry);
    }
    return cache.get(caller, paths);
  }

  function store(response: UpstreamResponse, { caller }: UpstreamRequest): void {
    response.isStored = true;
    const { body, sentPath } = response;
    const ttl = ttlOf(response, configured);
    // Without one, the earlier response is out of date.
    if (!ttl) {
      remove(caller, [sentPath]);
      return;
    }
    const entry = { body, storedAtMs: Date.now(), ttl };
    cache.set(caller, sentPath, entry);
    shared?.set(caller, sentPath, entry);
  }

  function remove(caller: Caller, paths: readonly string[]): void {
    cache.delete(caller, paths);
    shared?.delete(caller, paths);
  }
}

function outcomeFrom(
  { body, storedAtMs }: CacheEntry,
  source: 'cache' | 'stale',
  { caller, target }: UpstreamRequest,
): Outcome {
  reportCall(caller, target.path, performance.now(), source, 200, { ageMs: Date.now() - storedAtMs });
  try {
    return {
      status: 200,
      headers: {},
      body,
      sentPath: target.path,
      retryAfter: undefined,
      notices: null,
      isDecoded: true,
      isStored: true,
      resource: decoded(target, { body }),
    };
  } catch (error) {
    return error as Error;
  }
}
