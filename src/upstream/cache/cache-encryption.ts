import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../caller.ts';
import { deriveKey } from '../derived-key.ts';
import type { CacheEntry } from './cache.ts';

/**
 * Names and contents of cache entries in a Redis that others may read: made with keys that are derived from the
 * caller's API key, so that Redis alone reveals neither API keys nor data, nor whose they are.
 */
export interface CacheEncryption {
  /** The name of a path of this caller: HMAC-SHA256. */
  nameOf(caller: Caller, path: string): string;
  /** AES-256-GCM, bound to the name. */
  encrypt(caller: Caller, name: string, entry: CacheEntry): Buffer;
  /** Undefined for what was not encrypted for this caller under this name, or was changed since. */
  decrypt(caller: Caller, name: string, encrypted: Buffer): CacheEntry | undefined;
}

interface Keys {
  name: Uint8Array;
  cipher: Uint8Array;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TIMES_BYTES = 24;
const MAX_CALLERS = 10_000;

export function createCacheEncryption(): CacheEncryption {
  const derived = new LRUCache<string, Keys>({ max: MAX_CALLERS });
  const keysOf = ({ keyHash, apiKey }: Caller): Keys => {
    const keys = derived.get(keyHash) ?? {
      name: deriveKey(apiKey, 'cache name'),
      cipher: deriveKey(apiKey, 'cache cipher'),
    };
    derived.set(keyHash, keys);
    return keys;
  };

  return {
    nameOf: (caller, path) =>
      `portico:${createHmac('sha256', keysOf(caller).name).update(path).digest('base64url')}`,

    encrypt(caller, name, entry) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, keysOf(caller).cipher, nonce).setAAD(Buffer.from(name));
      const text = Buffer.concat([cipher.update(timesOf(entry)), cipher.update(entry.body), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },

    decrypt(caller, name, encrypted) {
      try {
        const nonce = encrypted.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, keysOf(caller).cipher, nonce, {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(name));
        decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES));
        return entryFrom(Buffer.concat([text, decipher.final()]));
      } catch {
        return undefined;
      }
    },
  };
}

function timesOf({ storedAtMs, ttl }: CacheEntry): Buffer {
  const times = Buffer.alloc(TIMES_BYTES);
  times.writeDoubleBE(storedAtMs, 0);
  times.writeDoubleBE(ttl.freshMs, 8);
  times.writeDoubleBE(ttl.staleMs, 16);
  return times;
}

function entryFrom(text: Buffer): CacheEntry {
  return {
    body: text.subarray(TIMES_BYTES),
    storedAtMs: text.readDoubleBE(0),
    ttl: { freshMs: text.readDoubleBE(8), staleMs: text.readDoubleBE(16) },
  };
}
