import { LRUCache } from 'lru-cache';
import { bestOf, type Cache, type CacheEntry } from './cache.ts';

/** A cache in this process, of at most `maxBytes`; the least recently used entries go first. */
export function createMemoryCache(maxBytes: number): Cache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
  });
  return {
    get: ({ keyHash }, paths) => bestOf(paths.map((path) => entries.get(nameOf(keyHash, path)))),
    set({ keyHash }, path, { body, storedAtMs, ttl }) {
      // A copy: a small body is a slice of a larger block, which it would retain.
      const copy = Buffer.allocUnsafeSlow(body.length);
      body.copy(copy);
      const entry = { body: copy, storedAtMs, ttl };
      entries.set(nameOf(keyHash, path), entry, { ttl: ttl.freshMs + ttl.staleMs });
    },
    delete({ keyHash }, paths) {
      for (const path of paths) entries.delete(nameOf(keyHash, path));
    },
  };
}

/** The size of an entry besides its body, about. */
const OVERHEAD_BYTES = 300;

/** A digest has one length: no two of these pairs give one name. */
function nameOf(keyHash: string, path: string): string {
  return keyHash + path;
}
