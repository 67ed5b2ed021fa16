import { createHash } from 'node:crypto';
import type { KeyHolder } from '../../src/rest/caller.ts';

/** A key with its digest, computed independently of the gateway. */
export function keyHolderOf(apiKey: string): KeyHolder {
  return { apiKey, keyHash: createHash('sha256').update(apiKey).digest('hex') };
}
