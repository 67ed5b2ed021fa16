import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  decoded,
  type Layer,
  type Outcome,
  reportCall,
  type UpstreamRequest,
  type UpstreamResponse,
} from './call.ts';
import { type Caller, deriveKey, type KeyHolder } from './caller.ts';
import { isOutage, UpstreamForbidden } from './errors.ts';
import { msFromDate, valuesOf } from './http-date.ts';
import type { RedisConnection } from './redis.ts';

/** A response of the REST API, stored for the key that it was sent to. */
export interface CacheEntry {
  /** The body, byte for byte: each read of it is decoded into objects of its own. */
  body: Buffer;
  /** When it came, in milliseconds since 1970. */
  storedAtMs: number;
  ttl: Ttl;
}

/** Responses, separate for each key. A lost entry costs a call and nothing else. */
export interface Cache {
  /** The first entry under one of these paths that is fresh; if none is, the first that is stale. */
  get(caller: Caller, paths: readonly string[]): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(caller: Caller, path: string, entry: CacheEntry): void;
  delete(caller: Caller, paths: readonly string[]): void;
}

/** How long a response may be served again, in milliseconds from when it came. */
export interface Ttl {
  /** In place of a call. */
  freshMs: number;
  /** After that, in place of a failure. */
  staleMs: number;
}

/**
 * Responds with a fresh entry in place of a call, and with a stale one in place of an outage. Stores what was
 * decoded, for as long as `ttl` and the response allow, and deletes what a later response has made invalid.
 */
export function caching(cache: Cache, configured: Ttl): Layer {
  return (next) => (request, done) => {
    const { caller, target, isPoll } = request;
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
    const found = isPoll ? undefined : cache.get(caller, target.paths());
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

/** The first fresh entry, else the first stale one; none that has expired. */
function bestOf(entries: readonly (CacheEntry | undefined)[]): CacheEntry | undefined {
  return (
    entries.find((entry) => entry && isFresh(entry)) ?? entries.find((entry) => entry && !isExpired(entry))
  );
}

function isFresh({ storedAtMs, ttl }: CacheEntry): boolean {
  return isYounger(storedAtMs, ttl.freshMs);
}

function isExpired({ storedAtMs, ttl }: CacheEntry): boolean {
  return !isYounger(storedAtMs, ttl.freshMs + ttl.staleMs);
}

/** The clocks of two gateways may differ by so much. */
const TOLERANCE_MS = 1_000;

/** Not true of a time in the future: the clock has been set back since, and the age is not known. */
function isYounger(storedAtMs: number, ms: number): boolean {
  const ageMs = Date.now() - storedAtMs;
  return ageMs >= -TOLERANCE_MS && ageMs < ms;
}

/** A cache in this process, of at most `maxBytes`; the least recently used entries go first. */
export function createMemoryCache(maxBytes: number): Cache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
  });
  return {
    get: ({ keyHash }, paths) => bestOf(paths.map((path) => entries.get(entryNameOf(keyHash, path)))),
    set({ keyHash }, path, { body, storedAtMs, ttl }) {
      const entry = { body: ownCopy(body), storedAtMs, ttl };
      entries.set(entryNameOf(keyHash, path), entry, { ttl: ttl.freshMs + ttl.staleMs });
    },
    delete({ keyHash }, paths) {
      for (const path of paths) entries.delete(entryNameOf(keyHash, path));
    },
  };
}

/** The size of an entry besides its body, about. */
const OVERHEAD_BYTES = 300;

/** A digest has one length: no two of these pairs give one name. */
function entryNameOf(keyHash: string, path: string): string {
  return keyHash + path;
}

/** A small body is a slice of a larger block, which it would retain. */
export function ownCopy(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}

/** A larger body could exceed the time limit of a command, which marks Redis as down for every request. */
export const MAX_SHARED_BODY_BYTES = 1_048_576;

/**
 * A cache in Redis for all gateways that use it, encrypted. While Redis is down it is empty. An entry expires
 * by the shorter of the TTL that it was stored with and `ttl`: a lowered setting takes effect at once.
 */
export function createSharedCache(redis: RedisConnection, ttl: Ttl): Cache {
  const { nameOf, encrypt, decrypt } = createCacheEncryption();
  const namesOf = (caller: Caller, paths: readonly string[]) => paths.map((path) => nameOf(caller, path));

  return {
    async get(caller, paths) {
      const names = namesOf(caller, paths);
      const reply: unknown = await redis.run((client) => client.mgetBuffer(...names));
      const encrypted: unknown[] = Array.isArray(reply) ? reply : [];
      const entries = names.map((name, n) => {
        const entry = decrypt(caller, name, encrypted[n]);
        return entry && { ...entry, ttl: shorterTtl(entry.ttl, ttl) };
      });
      return bestOf(entries);
    },

    set(caller, path, entry) {
      if (entry.body.length > MAX_SHARED_BODY_BYTES) return;
      const name = nameOf(caller, path);
      const ttlMs = Math.ceil(entry.ttl.freshMs + entry.ttl.staleMs);
      void redis.run((client) => client.set(name, encrypt(caller, name, entry), 'PX', ttlMs));
    },

    delete(caller, paths) {
      void redis.run((client) => client.del(...namesOf(caller, paths)));
    },
  };
}

function shorterTtl(one: Ttl, other: Ttl): Ttl {
  return {
    freshMs: Math.min(one.freshMs, other.freshMs),
    staleMs: Math.min(one.staleMs, other.staleMs),
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TIMES_BYTES = 24;
const MAX_CALLERS = 10_000;

/**
 * Names and contents of cache entries in a Redis that others may read: made with keys that are derived from
 * the caller's API key, so that Redis alone reveals neither API keys nor data, nor whose they are.
 */
export function createCacheEncryption() {
  const derived = new LRUCache<string, { name: Uint8Array; cipher: Uint8Array }>({ max: MAX_CALLERS });

  function keysOf({ keyHash, apiKey }: KeyHolder) {
    const keys = derived.get(keyHash) ?? {
      name: deriveKey(apiKey, 'cache name'),
      cipher: deriveKey(apiKey, 'cache cipher'),
    };
    derived.set(keyHash, keys);
    return keys;
  }

  return {
    /** The name of a path of this caller: HMAC-SHA256. */
    nameOf: (caller: KeyHolder, path: string) =>
      `portico:${createHmac('sha256', keysOf(caller).name).update(path).digest('base64url')}`,

    /** AES-256-GCM, bound to the name. */
    encrypt(caller: KeyHolder, name: string, { body, storedAtMs, ttl }: CacheEntry): Buffer {
      const times = Buffer.alloc(TIMES_BYTES);
      times.writeDoubleBE(storedAtMs, 0);
      times.writeDoubleBE(ttl.freshMs, 8);
      times.writeDoubleBE(ttl.staleMs, 16);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, keysOf(caller).cipher, nonce).setAAD(Buffer.from(name));
      const text = Buffer.concat([cipher.update(times), cipher.update(body), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },

    /** Undefined for what was not encrypted for this caller under this name, or was changed since. */
    decrypt(caller: KeyHolder, name: string, encrypted: unknown): CacheEntry | undefined {
      if (!(encrypted instanceof Buffer)) return undefined;
      const nonce = encrypted.subarray(0, NONCE_BYTES);
      const tag = encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(CIPHER, keysOf(caller).cipher, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
        const text = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES));
        const plain = Buffer.concat([text, decipher.final()]);
        return {
          body: plain.subarray(TIMES_BYTES),
          storedAtMs: plain.readDoubleBE(0),
          ttl: { freshMs: plain.readDoubleBE(8), staleMs: plain.readDoubleBE(16) },
        };
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * The `configured` times as the response's `Cache-Control`, `Age`, `Expires` and `Vary` shorten them (RFC
 * 9111); they never lengthen them. Null where the response must not be stored.
 */
export function ttlOf(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  configured: Ttl,
): Ttl | null {
  if (status !== 200 || headers.get('vary')?.includes('*')) return null;
  const directives = directivesFrom(headers.get('cache-control') ?? '');
  if (directives.has('no-store') || directives.has('no-cache')) return null;
  const maxAge = secondsFrom(directives.get('max-age') ?? String(secondsToExpiry(headers)), 0);
  const age = secondsFrom(headers.get('age') ?? '0', MAX_S);
  const freshMs = Math.min(configured.freshMs, Math.max(0, maxAge - age) * 1000);
  const staleMs = directives.has('must-revalidate') ? 0 : configured.staleMs;
  return freshMs + staleMs > 0 ? { freshMs, staleMs } : null;
}

/** Between `Date` and `Expires`. No date is one in the past: `Expires: 0`. */
function secondsToExpiry(headers: UpstreamResponse['headers']): number {
  const expires = headers.get('expires');
  if (expires === null) return MAX_S;
  const [sentAtMs = Date.now()] = valuesOf(headers.get('date'), msFromDate);
  const atMs = Math.min(...valuesOf(expires, (value) => msFromDate(value) ?? 0));
  return Math.max(0, Math.floor((atMs - sentAtMs) / 1000));
}

/** Names in lower case, values without quotes; of a repeated directive the first counts (RFC 9111, 4.2.1). */
function directivesFrom(field: string): Map<string, string> {
  const pairs = field.toLowerCase().matchAll(/([a-z-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,"]*)))?/g);
  return new Map([...pairs].reverse().map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']));
}

/** `otherwise` for a malformed or repeated value: chosen so that nothing is fresh. */
function secondsFrom(text: string, otherwise: number): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), MAX_S) : otherwise;
}

/** Longer than any response is stored. */
const MAX_S = 1e9;
