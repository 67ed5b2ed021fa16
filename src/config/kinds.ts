import { isIP } from 'node:net';
import { z } from 'zod';

/** Declared settings by name. */
export type Declared = Readonly<Record<string, z.ZodType>>;

/* Kinds of settings. Each error message completes "NAME …". */

export const wholeNumber = (min: number, max: number, fallback: number) =>
  optionalWholeNumber(min, max).prefault(String(fallback));

/** Wrap it in `.optional()` where the setting has no default. */
export const optionalWholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

export const oneOf = <const T extends string>(...words: T[]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();

/** A comma-separated list, each element of which passes the test; unset: an empty list. */
export const listOf = (isElement: (text: string) => boolean, error: string) =>
  z
    .string()
    .optional()
    .transform((text) => text?.split(',').map((element) => element.trim()) ?? [])
    .refine((elements) => elements.every(isElement), { error });

/** The base URL of another server; unset: null. */
export const baseUrl = () =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      const url = text === undefined ? null : parseBaseUrl(text);
      if (typeof url === 'string') context.addIssue({ code: 'custom', message: url });
      return typeof url === 'string' ? z.NEVER : url;
    });

/** The URL, or what it must be. */
function parseBaseUrl(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an http: or https: URL';
  if (url.username || url.password) return 'must not hold a user name or a password';
  if (url.search || url.hash) return 'must not hold a query or a fragment';
  return url;
}

/** Whether ioredis, which parses the URL itself, reads it as Redis documents. */
export function isRedisUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    ['redis:', 'rediss:'].includes(url.protocol) &&
    url.hostname !== '' &&
    /^(\/\d*)?$/.test(url.pathname) &&
    !/%(?![\da-f]{2})/i.test(url.username + url.password)
  );
}

/** Scheme, host and port exactly as an `Origin` field has them. `null`, which any sandboxed page sends, is none. */
export function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** A block of IP addresses, in the terms of `net.BlockList`. */
export interface Subnet {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const namedSubnets: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** The blocks that an address, a CIDR block or a name stands for; none where it is none of these. */
export function subnetsFrom(text: string): Subnet[] {
  if (Object.hasOwn(namedSubnets, text)) return namedSubnets[text]?.flatMap(subnetsFrom) ?? [];
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : 0;
  if (version === 0 || rest.length > 0 || prefix < 1 || prefix > bits) return [];
  return [{ address, prefix, family: version === 6 ? 'ipv6' : 'ipv4' }];
}
