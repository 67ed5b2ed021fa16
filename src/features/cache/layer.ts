import { type Ttl, ttlOf } from '../../upstream/cache-control.ts';
import {
  type Layer,
  type Outcome,
  reportCall,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../upstream/call.ts';
import { decoded } from '../../upstream/decoding.ts';
import { isOutage, UpstreamForbidden } from '../../upstream/errors.ts';
import { type CacheEntry, type CacheStore, isFresh } from './store.ts';

/**
 * Responds with a fresh entry in place of a call, and with a stale one in place of an outage. Stores what was
 * decoded, for as long as `ttl` and the response allow, and deletes what a later response has made invalid.
 */
export function caching(cache: CacheStore, configured: Ttl): Layer {
  return (next) => (request, done) => {
    const { caller, target, noCache } = request;
    if (!target.fromJson) return next(request, done);
    const onEntry = (entry: CacheEntry | undefined) => {
      if (entry && isFresh(entry)) return done(outcomeFrom(entry, 'cache', request));
      next(request, (outcome) => {
        const isError = outcome instanceof Error;
        // The resource is gone, or this key may no longer read it: no earlier response may stand in for it.
        if (isError ? outcome instanceof UpstreamForbidden : outcome.status === 404)
          cache.delete(caller, target.allPaths());
        else if (!isError && !outcome.isStored) store(outcome, request);
        done(entry && isOutage(outcome) ? outcomeFrom(entry, 'stale', request) : outcome);
      });
    };
    const found = noCache ? undefined : cache.get(caller, target.paths());
    if (found instanceof Promise) found.then(onEntry).catch(done);
    else onEntry(found);
  };

  function store(response: UpstreamResponse, { caller }: UpstreamRequest): void {
    response.isStored = true;
    const { body, sentPath } = response;
    const ttl = ttlOf(response, configured);
    if (ttl) cache.set(caller, sentPath, { body, storedAtMs: Date.now(), ttl });
    // The earlier response is out of date.
    else cache.delete(caller, [sentPath]);
  }
}

const noHeaders = new Headers();

function outcomeFrom(
  { body, storedAtMs }: CacheEntry,
  source: 'cache' | 'stale',
  { caller, target }: UpstreamRequest,
): Outcome {
  reportCall(caller, target.path, performance.now(), source, 200, { ageMs: Date.now() - storedAtMs });
  try {
    return {
      status: 200,
      headers: noHeaders,
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
