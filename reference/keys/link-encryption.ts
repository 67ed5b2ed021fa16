import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secret part of a one-time link: 256 random bits, safe in a URL. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex, by which the database finds a token's link. */
export function digestFromToken(token: string): string {
  return hash('sha256', token);
}

/** Encrypts the key with the token: AES-256-GCM under HKDF-SHA256 of the token (RFC 5869). */
export function encryptKey(key: string, token: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKeyFromToken(token), nonce);
  const text = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Throws for another token, and where `encrypted` was modified. */
export function decryptKey(encrypted: string, token: string): string {
  const bytes = Buffer.from(encrypted, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  const cipher = createDecipheriv(CIPHER, cipherKeyFromToken(token), nonce, { authTagLength: TAG_BYTES });
  cipher.setAuthTag(tag);
  return Buffer.concat([cipher.update(text), cipher.final()]).toString('utf8');
}

/** Differs from the digest, which the database has: that one decrypts nothing. */
function cipherKeyFromToken(token: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, '', 'one-time link', 32));
}
