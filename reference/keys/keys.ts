import { hash, randomBytes } from 'node:crypto';
import type { KeyRow } from '../database/tables.ts';

/** The scopes that endpoints require (section 5.6); health requires none. */
export const scopes = ['site:read', 'conversation:read'] as const;

export type Scope = (typeof scopes)[number];

export const KEY_NAME_LENGTH = 8;
const SECRET_LENGTH = 32;

/** Crockford's base 32 in lower case: five bits per character, without ambiguous letters. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new key: eight random characters, which are its public name, and a secret of 160 random bits. No part of
 * the name is fixed, so that revoking by it (section 5.10) identifies one key.
 */
export function createKey(): string {
  const bytes = randomBytes(KEY_NAME_LENGTH + SECRET_LENGTH);
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** The public name of a key: its first eight characters. */
export function nameFromKey(key: string): string {
  return key.slice(0, KEY_NAME_LENGTH);
}

/** SHA-256 in hex. A slow hash would add nothing: a key is long and random. */
export function digestFromKey(key: string): string {
  return hash('sha256', key);
}

export type KeyFacts = Pick<KeyRow, 'partner_id' | 'environment' | 'description' | 'contact' | 'created_at'> &
  Partial<Pick<KeyRow, 'expires_at' | 'revoked_at' | 'rate_limit'>>;

/** The database row of a key: its digest and public name, never its text. */
export function rowFromKey(key: string, scopes: readonly Scope[], facts: KeyFacts): KeyRow {
  return {
    digest: digestFromKey(key),
    name: nameFromKey(key),
    scopes: scopes.join(' '),
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
    rate_limit: null,
    ...facts,
  };
}
