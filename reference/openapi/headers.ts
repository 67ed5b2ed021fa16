import type { Schema } from './schemas.ts';

const header = (description: string, schema: Schema, required = true) => ({ description, required, schema });

/** The header fields of responses, by component name. */
export const headers = {
  CacheControl: header('Responses must not be stored', { const: 'no-store' }),
  RateLimitPolicy: header('Requests `q` that a key may make in a window of `w` seconds', {
    type: 'string',
    pattern: '^"key";q=\\d+;w=\\d+$',
  }),
  RateLimit: header('Requests `r` that are left to the key, and seconds `t` until its window is over', {
    type: 'string',
    pattern: '^"key";r=\\d+;t=\\d+$',
  }),
  RetryAfter: header('Seconds until the window is over', { type: 'string', pattern: '^[1-9]\\d*$' }),
  Allow: header('The methods that work', { const: 'GET, HEAD' }),
  Deprecation: header(
    'RFC 9745: since when this version is deprecated; absent while it is not',
    { type: 'string', pattern: '^@\\d+$' },
    false,
  ),
  Sunset: header(
    'RFC 8594: when this version ends; absent while that is open',
    { type: 'string', pattern: ' GMT$' },
    false,
  ),
};
