import type { IncomingMessage } from 'node:http';

/** Longest key that is forwarded, in bytes. */
const maxKeyBytes = 256;
const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * The caller's key, or undefined where there is none to use: none sent, an empty one, several, or one that no header
 * can carry unchanged (blanks, other than ASCII, over 256 bytes). `Authorization` is not looked at (REST document, 5).
 */
export function apiKeyFrom({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  // Of several Node makes one, with a blank after each comma, so that it is no key.
  const key = headers['x-api-key'];
  return typeof key === 'string' && key.length <= maxKeyBytes && visibleAscii.test(key) ? key : undefined;
}
