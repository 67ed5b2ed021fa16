import { bestOf, type Cache, type Kept } from './cache.ts';
import { createSeal } from './cache-seal.ts';
import { type Life, shorterLife } from './freshness.ts';
import type { Store } from './store.ts';

/** What takes longer than the store's patience to send would cost everybody the store. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * Keeps answers in the store, for all gateways that use it, sealed. While it is lost, nothing is found or kept. An entry
 * lives no longer than `life`, whatever setting it was stored under: a lowered setting takes effect at once.
 */
export function createSharedCache(store: Store, life: Life): Cache {
  const seal = createSeal();
  return {
    async find(caller, paths) {
      const names = paths.map((path) => seal.nameOf(caller, path));
      const sealed = await store.ask((redis) => redis.mgetBuffer(...names));
      return bestOf(names.map((name, n) => opened(name, sealed?.[n])));

      function opened(name: string, bytes: Buffer | null | undefined): Kept | undefined {
        const kept = bytes ? seal.open(caller, name, bytes) : undefined;
        return kept && { ...kept, life: shorterLife(kept.life, life) };
      }
    },

    keep(caller, path, kept) {
      if (kept.body.length > MAX_BODY_BYTES) return;
      const name = seal.nameOf(caller, path);
      const lifeMs = Math.ceil(kept.life.freshMs + kept.life.staleMs);
      void store.ask((redis) => redis.set(name, seal.close(caller, name, kept), 'PX', lifeMs));
    },

    drop(caller, paths) {
      const names = paths.map((path) => seal.nameOf(caller, path));
      void store.ask((redis) => redis.del(...names));
    },
  };
}
