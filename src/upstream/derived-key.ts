import { hkdfSync } from 'node:crypto';

/** HKDF-SHA256 of the API key (RFC 5869), a different key for each purpose: none reveals the API key or another one. */
export function deriveKey(apiKey: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, '', `portico ${purpose}`, 32));
}
