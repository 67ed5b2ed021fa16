import type { IncomingMessage } from 'node:http';

/** Longest key that is forwarded, in bytes. */
const maxKeyBytes = 256;
/** Visible ASCII without the comma, which separates the values of a field (RFC 9110, 5.3 and 5.6.1). */
const oneKey = /^[\x21-\x2b\x2d-\x7e]+$/;

/**
 * The caller's key, or undefined where there is none to use: none sent, an empty one, several, or one that no header
 * can carry unchanged (blanks, commas, other than ASCII, over 256 bytes). `Authorization` is not looked at (REST document, 5).
 */
export function apiKeyFrom({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  // Node joins several fields with commas, as any server or proxy on the way may (RFC 9110, 5.3): no key has one.
  const key = headers['x-api-key'];
  return typeof key === 'string' && key.length <= maxKeyBytes && oneKey.test(key) ? key : undefined;
}
