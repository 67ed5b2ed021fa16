import type { Redis } from 'ioredis';
import { bestOf, type Cache, type Kept } from './cache.ts';
import { createSeal } from './cache-seal.ts';

const ANSWER_PATIENCE_MS = 100;
/** What takes longer than the patience to send would cost everybody the store. */
const MAX_BODY_BYTES = 1_048_576;
const CONNECT_PATIENCE_MS = 1_000;
const RETRY_MAX_MS = 1_000;

/**
 * Keeps answers in the Redis or Valkey at `url`, for all gateways that use it, sealed. It connects when first asked; while
 * it cannot be reached, does not answer or refuses, nothing is found or kept, and `onFault` hears of it once.
 */
export function createSharedCache(url: string, onFault: (fault: Error) => void): Cache {
  const seal = createSeal();
  let redis: Redis | undefined;
  let isLost = false;
  let hasRefused = false;
  let isClosed = false;

  const lose = () => {
    if (!isLost && !isClosed) onFault(new Error('CACHE_URL is out of reach: every answer is fetched'));
    isLost = true;
  };

  /** Full, read-only, not allowed: another connection would hear the same. */
  const refuse = () => {
    if (!hasRefused) onFault(new Error('CACHE_URL refuses commands: not every answer is kept'));
    hasRefused = true;
  };

  /** Loaded only here, so that a gateway without it does not wait for it. */
  const connecting = once(async () => {
    const { Redis } = await import('ioredis');
    if (isClosed) return;
    redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_PATIENCE_MS,
      // Of a connection that is gone already it would wait for the end all the same, and the process with it.
      disconnectTimeout: ANSWER_PATIENCE_MS,
      retryStrategy: (attempt) => Math.min(attempt * 50, RETRY_MAX_MS),
    });
    redis.on('error', lose);
    redis.on('close', lose);
    redis.on('ready', () => {
      isLost = false;
    });
  });

  /** The outcome of one command, or undefined where the store is lost. One that answers too late is as lost. */
  async function ask<T>(command: (store: Redis) => Promise<T>): Promise<T | undefined> {
    // What the address cannot be is a loss like any other.
    await connecting().catch(lose);
    const store = redis;
    if (store?.status !== 'ready') return undefined;
    const answer = await inTime(command(store));
    if (answer === refused) return void refuse();
    if (answer !== late) return answer;
    lose();
    if (store.status === 'ready') store.disconnect(true);
    return undefined;
  }

  return {
    async find(caller, paths) {
      const names = paths.map((path) => seal.nameOf(caller, path));
      const sealed = await ask((store) => store.mgetBuffer(...names));
      return bestOf(names.map((name, n) => opened(name, sealed?.[n])));

      function opened(name: string, bytes: Buffer | null | undefined): Kept | undefined {
        return bytes ? seal.open(caller, name, bytes) : undefined;
      }
    },

    keep(caller, path, kept) {
      if (kept.body.length > MAX_BODY_BYTES) return;
      const name = seal.nameOf(caller, path);
      const lifeMs = Math.ceil(kept.life.freshMs + kept.life.staleMs);
      void ask((store) => store.set(name, seal.close(caller, name, kept), 'PX', lifeMs));
    },

    drop(caller, paths) {
      const names = paths.map((path) => seal.nameOf(caller, path));
      void ask((store) => store.del(...names));
    },

    close() {
      isClosed = true;
      redis?.disconnect();
    },
  };
}

const late = Symbol('late');
const refused = Symbol('refused');

/** `refused` where the store says no, `late` for an answer that takes too long or never comes. */
function inTime<T>(answer: Promise<T>): Promise<T | typeof late | typeof refused> {
  return new Promise((resolve) => {
    // Timers run before sockets are read: an answer that is there already is let through first.
    const timer = setTimeout(() => setImmediate(resolve, late), ANSWER_PATIENCE_MS);
    answer
      .then(resolve, (error: Error) => resolve(error.name === 'ReplyError' ? refused : late))
      .finally(() => clearTimeout(timer));
  });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
