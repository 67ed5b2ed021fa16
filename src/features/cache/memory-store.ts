import { LRUCache } from 'lru-cache';
import { ownCopy } from '../../upstream/json.ts';
import { bestOf, type CacheEntry, type CacheStore } from './store.ts';

/** A cache in this process, of at most `maxBytes`; the least recently used entries go first. */
export function createMemoryStore(maxBytes: number): CacheStore {
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
