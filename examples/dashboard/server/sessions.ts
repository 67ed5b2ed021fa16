import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

const LIFETIME_MS = 8 * 60 * 60 * 1000;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface Sessions {
  /** The value of a cookie that holds the key and an expiry, encrypted: a browser cannot read it. */
  create(apiKey: string): string;
  /** The key in such a value; undefined if the value has expired, was changed, or has another secret. */
  keyOf(cookie: string | undefined): string | undefined;
}

/**
 * Sessions without state. Processes with the same secret accept the cookies of each other; without one, each process has
 * a random secret.
 */
export function createSessions(options: { secret?: string | undefined; lifetimeMs?: number } = {}): Sessions {
  const { secret, lifetimeMs = LIFETIME_MS } = options;
  const secretKey = secret ? scryptSync(secret, 'portico-dashboard session', 32) : randomBytes(32);
  return {
    create(apiKey) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, secretKey, iv, { authTagLength: TAG_BYTES });
      const session = JSON.stringify({ apiKey, expiresAt: Date.now() + lifetimeMs });
      const sealed = Buffer.concat([cipher.update(session), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    keyOf(cookie = '') {
      const bytes = Buffer.from(cookie, 'base64url');
      const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
      try {
        const decipher = createDecipheriv(CIPHER, secretKey, iv, { authTagLength: TAG_BYTES }).setAuthTag(
          tag,
        );
        const session =
          decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
        const { apiKey, expiresAt } = JSON.parse(session);
        return expiresAt > Date.now() ? apiKey : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
