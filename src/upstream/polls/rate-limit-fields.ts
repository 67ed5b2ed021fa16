import type { UpstreamResponse } from '../call.ts';

/** Below this share of its quota a key is left to queries. */
const RESERVED_SHARE = 1 / 5;
const MAX_SECONDS = 3600;

/**
 * For how many milliseconds a key has less than a fifth of its quota left, as `RateLimit` and `RateLimit-Policy` say
 * (draft-ietf-httpapi-ratelimit-headers): `"key";r=9;t=30` of `"key";q=100;w=60` is 30 seconds. 0 where more is left, and where
 * the fields are absent or say something else. Of a limit without a quota only an empty one counts.
 */
export function reservedMs(headers: UpstreamResponse['headers']): number {
  const limits = itemsOf(headers.ratelimit);
  if (limits.length === 0) return 0;
  const quotas = new Map(itemsOf(headers['ratelimit-policy']).map(({ name, q }) => [name, q]));
  const seconds = limits.map(({ name, r, t }) => {
    if (r === undefined || t === undefined) return 0;
    const isReserved = r === 0 || r < (quotas.get(name) ?? 0) * RESERVED_SHARE;
    return isReserved ? Math.min(t, MAX_SECONDS) : 0;
  });
  return Math.max(...seconds) * 1000;
}

interface Item {
  name: string;
  q?: number;
  r?: number;
  t?: number;
}

/** The items of a structured list (RFC 9651) whose parameters are whole numbers. */
function itemsOf(field: string | string[] | undefined): Item[] {
  if (field === undefined) return [];
  return [field]
    .flat()
    .join(',')
    .split(',')
    .map((text) => {
      const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
      const numbers = parameters.flatMap((parameter) => {
        const [, key = '', digits] = /^([qrt])=(\d{1,15})$/.exec(parameter) ?? [];
        return digits === undefined ? [] : [[key, Number(digits)]];
      });
      return { name, ...Object.fromEntries(numbers) };
    });
}
