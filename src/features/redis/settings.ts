import type { Values } from '../../config/declaration.ts';
import { redisUrl } from '../../config/kinds.ts';

export const redisSettings = {
  CACHE_URL: redisUrl().describe(
    'Redis or Valkey through which gateways share cached responses and polls of live queries, encrypted, and the rate limits of keys; unset: not shared',
  ),
};

export function redisConfig(values: Values<typeof redisSettings>) {
  return {
    /** Null: this gateway shares nothing. */
    redisUrl: values.CACHE_URL ?? null,
  };
}
