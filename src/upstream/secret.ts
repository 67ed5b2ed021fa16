import { hkdfSync } from 'node:crypto';

/** HKDF-SHA256 of the key (RFC 5869), another for each purpose: who has it learns nothing of the key or of the others. */
export function secretFrom(apiKey: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, '', `portico ${purpose}`, 32));
}
