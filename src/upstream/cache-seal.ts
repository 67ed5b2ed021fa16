import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Kept } from './cache.ts';
import type { Caller } from './caller.ts';
import { secretFrom } from './secret.ts';

/**
 * How answers look in a store that others may read: names and contents are made with secrets that only the
 * caller's key gives, so that the store alone tells neither keys nor data, nor whose they are.
 */
export interface Seal {
  /** The name of a path of this caller: HMAC-SHA256. */
  nameOf(caller: Caller, path: string): string;
  /** AES-256-GCM, bound to its name. */
  close(caller: Caller, name: string, kept: Kept): Buffer;
  /** Undefined for what was not sealed for this caller under this name, or was touched since. */
  open(caller: Caller, name: string, sealed: Buffer): Kept | undefined;
}

interface Secrets {
  name: Uint8Array;
  cipher: Uint8Array;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TIMES_BYTES = 24;
const MAX_CALLERS = 10_000;

export function createSeal(): Seal {
  const known = new LRUCache<string, Secrets>({ max: MAX_CALLERS });
  const secretsOf = ({ owner, apiKey }: Caller): Secrets => {
    const secrets = known.get(owner) ?? {
      name: secretFrom(apiKey, 'cache name'),
      cipher: secretFrom(apiKey, 'cache cipher'),
    };
    known.set(owner, secrets);
    return secrets;
  };

  return {
    nameOf: (caller, path) =>
      `portico:${createHmac('sha256', secretsOf(caller).name).update(path).digest('base64url')}`,

    close(caller, name, kept) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, secretsOf(caller).cipher, nonce).setAAD(Buffer.from(name));
      const text = Buffer.concat([cipher.update(timesOf(kept)), cipher.update(kept.body), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },

    open(caller, name, sealed) {
      try {
        const nonce = sealed.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, secretsOf(caller).cipher, nonce, {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
        return keptFrom(Buffer.concat([text, decipher.final()]));
      } catch {
        return undefined;
      }
    },
  };
}

function timesOf({ atMs, life }: Kept): Buffer {
  const times = Buffer.alloc(TIMES_BYTES);
  times.writeDoubleBE(atMs, 0);
  times.writeDoubleBE(life.freshMs, 8);
  times.writeDoubleBE(life.staleMs, 16);
  return times;
}

function keptFrom(text: Buffer): Kept {
  return {
    body: text.subarray(TIMES_BYTES),
    atMs: text.readDoubleBE(0),
    life: { freshMs: text.readDoubleBE(8), staleMs: text.readDoubleBE(16) },
  };
}
