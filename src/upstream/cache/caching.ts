import { parse } from '../decoding/decoding.ts';
import { isOutage, UpstreamForbidden } from '../errors.ts';
import {
  DecoratorHandler,
  type Layer,
  type ResponseHandler,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../layer.ts';
import { reportCall } from '../report.ts';
import { type Cache, type CacheEntry, isFresh } from './cache.ts';
import { type Ttl, ttlOf } from './ttl.ts';

/**
 * Responds with a fresh entry in place of a call, and with a stale one in place of an outage. Stores what was decoded, for
 * as long as `ttl` and the response allow, and deletes what a later response has made invalid.
 */
export function caching(cache: Cache, configured: Ttl): Layer {
  class CachedCall extends DecoratorHandler {
    readonly #stale: CacheEntry | undefined;

    constructor(request: UpstreamRequest, handler: ResponseHandler, stale: CacheEntry | undefined) {
      super(request, handler);
      this.#stale = stale;
    }

    override onResponse(response: UpstreamResponse): void {
      if (response.status === 404) this.#deleteAll();
      else if (!response.isStored) this.#store(response);
      this.handler.onResponse(response);
    }

    override onError(error: Error): void {
      if (error instanceof UpstreamForbidden) this.#deleteAll();
      if (this.#stale && isOutage(error)) respondFrom(this.#stale, 'stale', this.request, this.handler);
      else this.handler.onError(error);
    }

    #store(response: UpstreamResponse): void {
      response.isStored = true;
      const { caller } = this.request;
      const { body, sentPath } = response;
      const ttl = ttlOf(response, configured);
      if (ttl) cache.set(caller, sentPath, { body, storedAtMs: Date.now(), ttl });
      // The earlier response is out of date.
      else cache.delete(caller, [sentPath]);
    }

    /** The resource is gone, or this key may no longer read it: no earlier response may stand in for it. */
    #deleteAll(): void {
      const { caller, target } = this.request;
      cache.delete(caller, target.allPaths());
    }
  }

  return (next) => (request, handler) => {
    if (!request.target.fromJson) return next(request, handler);
    if (request.isPoll) return next(request, new CachedCall(request, handler, undefined));
    const onEntry = (entry: CacheEntry | undefined) => {
      if (entry && isFresh(entry)) respondFrom(entry, 'cache', request, handler);
      else next(request, new CachedCall(request, handler, entry));
    };
    const found = cache.get(request.caller, request.target.paths());
    if (found instanceof Promise) found.then(onEntry).catch((error) => handler.onError(error));
    else onEntry(found);
  };
}

function respondFrom(
  { body, storedAtMs }: CacheEntry,
  source: 'cache' | 'stale',
  { caller, target }: UpstreamRequest,
  handler: ResponseHandler,
): void {
  const ageMs = Date.now() - storedAtMs;
  reportCall(caller, target.path, performance.now(), source, 200, { ageMs });
  let resource: unknown;
  try {
    // Its drift was counted when it came.
    resource = target.fromJson?.(parse(body), noop);
  } catch (error) {
    handler.onError(error as Error);
    return;
  }
  const { path: sentPath } = target;
  handler.onResponse({
    status: 200,
    headers: {},
    body,
    sentPath,
    retryAfter: undefined,
    isDecoded: true,
    isStored: true,
    resource,
  });
}

function noop(): void {}
