import { hash, randomBytes } from 'node:crypto';
import type { KeyRow } from './tables.ts';

/** What each endpoint asks of a key (section 5.6); health asks for none. */
export const scopes = ['site:read', 'conversation:read'] as const;

export type Scope = (typeof scopes)[number];

const KEY_NAME_LENGTH = 8;
const SECRET_LENGTH = 32;

/** Crockford's base 32 in lower case: five bits a character, none that is read for another. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new key: eight random characters that become its public name, and after them 160 random bits that are
 * its secret. The name is not fixed in any part, so that revoking by it (section 5.10) reaches one key.
 */
export function createKey(): string {
  const bytes = randomBytes(KEY_NAME_LENGTH + SECRET_LENGTH);
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** The key's first eight characters, which may be said aloud. */
export function nameFromKey(key: string): string {
  return key.slice(0, KEY_NAME_LENGTH);
}

/** SHA-256 in hex. A key is long and random, so a slow hash would protect nothing that this one does not. */
export function digestFromKey(key: string): string {
  return hash('sha256', key);
}

type KeyFacts = Pick<KeyRow, 'partner_id' | 'environment' | 'description' | 'contact' | 'created_at'> &
  Partial<Pick<KeyRow, 'expires_at' | 'revoked_at'>>;

/** The row that stands for a key: its digest and public name, never its text. */
export function rowFromKey(key: string, scopes: readonly Scope[], facts: KeyFacts): KeyRow {
  return {
    digest: digestFromKey(key),
    name: nameFromKey(key),
    scopes: scopes.join(' '),
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
    ...facts,
  };
}
