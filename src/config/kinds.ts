import { isIP } from 'node:net';
import * as z from 'zod';

/* The kinds of settings. Each error message completes "NAME …". */

export function wholeNumber(min: number, max: number, fallback: number) {
  return optionalWholeNumber(min, max).prefault(String(fallback));
}

/** Wrap it in `.optional()` if the setting has no default. */
export function optionalWholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}

export function oneOf<const T extends string>(...words: T[]) {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();
}

/** A comma-separated list, each element of which passes the test; unset: an empty list. */
export function listOf(isElement: (text: string) => boolean, error: string) {
  return z
    .string()
    .optional()
    .transform((text) => text?.split(',').map((element) => element.trim()) ?? [])
    .refine((elements) => elements.every(isElement), { error });
}

/** The base URL of another server; unset: null. */
export function baseUrl() {
  return z
    .url({ protocol: /^https?$/, error: 'must be an http: or https: URL' })
    .transform((text) => new URL(text))
    .refine(({ username, password }) => username + password === '', {
      error: 'must not hold a user name or a password',
    })
    .refine(({ search, hash }) => search + hash === '', { error: 'must not hold a query or a fragment' })
    .optional()
    .transform((url) => url ?? null);
}

export function host() {
  const error = 'must be a host name or an address, without a port; IPv6 without brackets';
  return z.string().refine((text) => isIP(text) > 0 || /^[\w.-]+$/.test(text), { error });
}

const redisForm = /^rediss?:\/\/([^%/?#\s]|%[\da-f]{2})+(\/\d*)?(\?keyPrefix=[^&#]*)?$/i;

/** A URL that ioredis, which parses it itself, reads as Redis documents: a query would override options. */
export function redisUrl() {
  const error =
    'must be redis://user:password@host:6379/0 or rediss://…, percent-encoded, with no query but keyPrefix';
  return z
    .string()
    .refine((text) => redisForm.test(text) && URL.canParse(text), { error })
    .optional();
}

export function text() {
  return z.string().optional();
}
