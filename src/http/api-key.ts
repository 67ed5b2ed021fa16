import type { IncomingMessage } from 'node:http';

/** Longest key, in bytes. */
const maxKeyBytes = 256;
/** Visible ASCII without the comma, which separates the values of a field (RFC 9110, 5.3 and 5.6.1). */
const oneKey = /^[\x21-\x2b\x2d-\x7e]+$/;

/**
 * Reads the API key of a request. Undefined for no key, an empty one, several, or an invalid one (spaces, commas, not
 * ASCII, over 256 bytes). `Authorization` is ignored (REST API document, 5).
 */
export function apiKeyFrom({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  // Node joins repeated fields with commas, as any proxy on the path may (RFC 9110, 5.3): a comma means several keys.
  const key = headers['x-api-key'];
  return typeof key === 'string' && key.length <= maxKeyBytes && oneKey.test(key) ? key : undefined;
}
