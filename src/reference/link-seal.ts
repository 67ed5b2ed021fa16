import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secret part of a one-time link: 256 random bits, safe in a URL. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database knows a token by: SHA-256 in hex. */
export function digestFromToken(token: string): string {
  return hash('sha256', token);
}

/** The key, encrypted so that only the token opens it: AES-256-GCM under HKDF-SHA256 of the token (RFC 5869). */
export function sealedFromKey(key: string, token: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKeyFromToken(token), nonce);
  const text = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Throws when `sealed` was not made with this very token, or was touched since. */
export function keyFromSealed(sealed: string, token: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  const cipher = createDecipheriv(CIPHER, cipherKeyFromToken(token), nonce, { authTagLength: TAG_BYTES });
  cipher.setAuthTag(tag);
  return Buffer.concat([cipher.update(text), cipher.final()]).toString('utf8');
}

/** Another function of the token than its digest, so that the database's copy of that one opens nothing. */
function cipherKeyFromToken(token: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, '', 'one-time link', 32));
}
