import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { ApiKey } from '../../rest/caller.ts';
import { memoized } from '../../rest/memo.ts';
import type { CacheEntry, SharedStore } from '../cache/index.ts';
import type { RedisConnection } from './connection.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A larger body would hold up the commands behind it. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * Entries in a Redis that others may read. Names and contents are made with keys that are derived from the
 * caller's API key: Redis reveals neither API keys nor data. Those of another `origin` have other names.
 */
export function createSealedStore(redis: RedisConnection, origin: string): SharedStore {
  const nameOf = (key: Buffer, path: string) =>
    `portico:${createHmac('sha256', key).update(`${origin}\n${path}`).digest('base64url')}`;

  return {
    async get(key, paths) {
      const { ofNames, ofContents } = keysOf(key);
      const names = paths.map((path) => nameOf(ofNames, path));
      const reply: unknown = await redis.run((client) => client.mgetBuffer(...names));
      return names.map((name, n) => unsealed(ofContents, name, Array.isArray(reply) ? reply[n] : null));
    },

    set(key, path, entry) {
      if (entry.body.length > MAX_BODY_BYTES) return;
      const { ofNames, ofContents } = keysOf(key);
      const name = nameOf(ofNames, path);
      const ttlMs = Math.ceil(entry.ttl.freshMs + entry.ttl.staleMs);
      void redis.run((client) => client.set(name, sealed(ofContents, name, entry), 'PX', ttlMs));
    },

    delete(key, paths) {
      const { ofNames } = keysOf(key);
      void redis.run((client) => client.del(...paths.map((path) => nameOf(ofNames, path))));
    },
  };
}

/** HKDF-SHA256 (RFC 5869): neither key reveals the API key or the other one. */
const keysOf = memoized(({ text }: ApiKey) => {
  const keys = Buffer.from(hkdfSync('sha256', text, '', 'portico cache', 64));
  return { ofNames: keys.subarray(0, 32), ofContents: keys.subarray(32) };
});

/** AES-256-GCM, bound to the name: the times on a line of JSON, then the body. */
function sealed(key: Buffer, name: string, { body, ...times }: CacheEntry): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(name));
  const text = [cipher.update(`${JSON.stringify(times)}\n`), cipher.update(body), cipher.final()];
  return Buffer.concat([nonce, ...text, cipher.getAuthTag()]);
}

/** Undefined for a value that was not sealed with this key under this name, or was changed since. */
function unsealed(key: Buffer, name: string, value: unknown): CacheEntry | undefined {
  if (!(value instanceof Buffer) || value.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, value.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(name)).setAuthTag(value.subarray(-TAG_BYTES));
    const text = decipher.update(value.subarray(NONCE_BYTES, -TAG_BYTES));
    const plain = Buffer.concat([text, decipher.final()]);
    const end = plain.indexOf('\n');
    return { ...JSON.parse(plain.toString('utf8', 0, end)), body: plain.subarray(end + 1) };
  } catch {
    return undefined;
  }
}
