import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KeyHolder } from '../../upstream/caller.ts';
import type { CacheEntry } from '../cache/index.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TIMES_BYTES = 24;
const MAX_CALLERS = 10_000;

/**
 * Names and contents of cache entries in a Redis that others may read: made with keys that are derived from
 * the caller's API key, so that Redis alone reveals neither API keys nor data, nor whose they are.
 */
export function createEncryption() {
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

/** HKDF-SHA256 of the API key (RFC 5869), one key per purpose: none reveals the API key or another one. */
export function deriveKey(apiKey: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, '', `portico ${purpose}`, 32));
}
