import {
  type Layer,
  type Outcome,
  reportCall,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../rest/call.ts';
import type { ApiKey } from '../../rest/caller.ts';
import { decoded } from '../../rest/decoding.ts';
import { isOutage, UpstreamForbidden } from '../../rest/errors.ts';
import { healthTarget } from '../../rest/targets.ts';
import type { CacheConfig } from './settings.ts';
import { type CacheEntry, createStore, isFresh, type SharedStore, ttlOf } from './store.ts';

/**
 * The layer that responds with a fresh entry in place of a call, and with a stale one in place of an outage; none if
 * nothing is stored. It stores what was decoded, and deletes what a later response has made invalid. `shared` is
 * asked for what is not fresh in memory.
 */
export function responseCache({ upstream }: { upstream: CacheConfig }, shared?: SharedStore): Layer[] {
  const { ttl: configured, maxBytes } = upstream.cache;
  if (configured.freshMs + configured.staleMs === 0) return [];
  const cache = createStore(maxBytes, shared);

  function store(response: UpstreamResponse, key: ApiKey): void {
    response.isStored = true;
    const { body, sentPath } = response;
    const ttl = ttlOf(response, configured);
    if (ttl) cache.set(key, sentPath, { body, storedAtMs: Date.now(), ttl });
    else cache.delete(key, [sentPath]);
  }

  return [
    (next) => (request, done) => {
      const { target, isPoll } = request;
      const { key } = request.caller;
      if (target === healthTarget) return next(request, done);
      const onEntry = (entry: CacheEntry | undefined) => {
        if (entry && isFresh(entry)) return done(outcomeFrom(entry, 'cache', request));
        next(request, (outcome) => {
          if (isLost(outcome)) cache.delete(key, target.paths([]));
          else if (!(outcome instanceof Error || outcome.isStored)) store(outcome, key);
          done(entry && isOutage(outcome) ? outcomeFrom(entry, 'stale', request) : outcome);
        });
      };
      const entry = isPoll ? undefined : cache.get(key, target.paths());
      if (!shared || isPoll || (entry && isFresh(entry))) return onEntry(entry);
      cache.getShared(key, target.paths()).then(onEntry).catch(done);
    },
  ];
}

/** True if the resource is gone, or this key may no longer read it: no earlier response may stand in for it. */
function isLost(outcome: Outcome): boolean {
  return outcome instanceof Error ? outcome instanceof UpstreamForbidden : outcome.status === 404;
}

function outcomeFrom(
  { body, storedAtMs }: CacheEntry,
  source: 'cache' | 'stale',
  { caller, target }: UpstreamRequest,
): Outcome {
  reportCall(caller, target.path, performance.now(), source, 200, { ageMs: Date.now() - storedAtMs });
  return {
    status: 200,
    headers: {},
    body,
    sentPath: target.path,
    retryAfter: undefined,
    notices: null,
    isCounted: true,
    isStored: true,
    resource: decoded(target, { body }),
  };
}
