import { z } from 'zod';

/** Kinds of settings, each with the words for what it must be. */

export const wholeNumber = (min: number, max: number, fallback: number) =>
  anyWholeNumber(min, max).prefault(String(fallback));

/** The same where there need not be one. */
export const anyWholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

export const oneOf = <const T extends string>(...words: T[]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();

/** A list whose every element passes; unset: an empty one. */
export const listOf = (isElement: (text: string) => boolean, error: string) =>
  z
    .string()
    .optional()
    .transform((text) => text?.split(',').map((element) => element.trim()) ?? [])
    .refine((elements) => elements.every(isElement), { error });

/** The base address, or what it must be. */
export function upstreamUrlFrom(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an http: or https: URL';
  if (url.username || url.password) return 'must not hold a user name or a password';
  if (url.search || url.hash) return 'must not hold a query or a fragment';
  return url;
}

/** What the client of the store can read: it takes the parts apart itself. */
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

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The base address of another server; null where it is unset. */
export function baseUrl() {
  return z
    .string()
    .optional()
    .transform((text, context) => {
      const url = text === undefined ? null : upstreamUrlFrom(text);
      if (typeof url === 'string') context.addIssue({ code: 'custom', message: url });
      return typeof url === 'string' ? z.NEVER : url;
    });
}
