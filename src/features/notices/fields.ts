import { latestOf } from '../../memo.ts';
import { MAX_WAIT_SECONDS, msFromDate, valuesOf } from '../../upstream/http-date.ts';
import type { Drift } from '../../upstream/json.ts';
import type { Deprecation, NoticeFields, Notices, Quota } from '../../upstream/notices.ts';
import { linksFrom, withoutKey } from './links.ts';
import { itemsOf } from './list.ts';

/** The names, and how a response has them. */
const keys = {
  RateLimit: 'ratelimit',
  'RateLimit-Policy': 'ratelimit-policy',
  Deprecation: 'deprecation',
  Sunset: 'sunset',
  Link: 'link',
};
type FieldName = keyof typeof keys;

/** The names of those that a response of the gateway has. */
export const passedFields = Object.values(keys);

/**
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers, 10), `Deprecation` (RFC 9745) and
 * `Sunset` (RFC 8594) with their links.
 */
export const noticeFields: NoticeFields = {
  names: Object.keys(keys),
  read({ status, headers, retryAfter }, drift, apiKey) {
    const field = fieldOf(headers, drift);
    const limits = limitsFrom(field);
    const [least = null] = limits;
    const quota = status === 429 ? exhausted(least, retryAfter) : least;
    const deprecation = deprecationFrom(field, apiKey);
    if (!quota && !deprecation) return null;
    return { quota, reservedMs: Math.max(0, ...limits.map(reservedMs)), deprecation };
  },
};

/** Null for a text that is malformed. */
type Read<T> = (text: string) => T | null;

/** What the field of this name says; null where it is absent or malformed. */
type Field = <T>(name: FieldName, read: Read<T>) => T | null;

function fieldOf(headers: Pick<Headers, 'get'>, drift: Drift): Field {
  return (name, read) => {
    const text = headers.get(keys[name]);
    if (text === null) return null;
    const value = read(text);
    if (value === null) drift(name);
    return value;
  };
}

// Most responses have the same texts.
const readPolicies = latestOf((text: string) => itemsOf(text, 'q'));
const readLinks = latestOf(linksFrom);
const readSince = latestOf((text: string) => earliest(text, msFromSince));
const readSunset = latestOf((text: string) => earliest(text, msFromDate));

/** The limits that both fields describe, that with the least remaining first. */
function limitsFrom(field: Field): Quota[] {
  const items = field('RateLimit', (text) => itemsOf(text, 'r'));
  if (!items) return [];
  const policies = field('RateLimit-Policy', readPolicies);
  const limits = items.map(({ name, r, t }) => {
    const { q = null, w = null } = policies?.find((policy) => policy.name === name) ?? {};
    return { remaining: r ?? 0, limit: q, windowSeconds: w, resetSeconds: t };
  });
  return limits.sort((one, other) => one.remaining - other.remaining);
}

function exhausted(quota: Quota | null, retryAfter: number | undefined): Quota {
  const { limit = null, windowSeconds = null, resetSeconds = null } = quota ?? {};
  return { remaining: 0, limit, windowSeconds, resetSeconds: resetSeconds ?? retryAfter ?? null };
}

/** Below this share of its quota a key is left to queries. */
const RESERVED_SHARE = 1 / 5;

/** The time of a limit with less than a fifth left, else 0. Of a limit without a quota only an empty one counts. */
function reservedMs({ remaining, limit, resetSeconds }: Quota): number {
  const isReserved = remaining === 0 || remaining < (limit ?? 0) * RESERVED_SHARE;
  return isReserved ? Math.min(resetSeconds ?? 0, MAX_WAIT_SECONDS) * 1000 : 0;
}

/** Links alone say nothing. */
function deprecationFrom(field: Field, apiKey: string): Deprecation | null {
  const since = field('Deprecation', readSince);
  const sunset = field('Sunset', readSunset);
  if (since === null && sunset === null) return null;
  return { since, sunset, links: withoutKey(field('Link', readLinks) ?? [], apiKey) };
}

function earliest(field: string, read: (value: string) => number | undefined): string | null {
  const times = valuesOf(field, read);
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

/** The end of the year 9999: later times have no date of four digits. */
const MAX_SECONDS = 253_402_300_799;

/** A date of structured fields (RFC 9651, 3.3.7), `@1767225600`, or of HTTP, as in drafts of RFC 9745. */
function msFromSince(value: string): number | undefined {
  const [, digits] = /^@(\d{1,12})$/.exec(value) ?? [];
  const seconds = Number(digits);
  return seconds <= MAX_SECONDS ? seconds * 1000 : msFromDate(value);
}

/** The same as header fields of a response, in standard form. */
export function fieldsFrom({ quota, deprecation }: Notices): [name: string, value: string][] {
  const fields: [string, string][] = [];
  if (quota) {
    fields.push(['ratelimit', `"default";r=${quota.remaining}${parameter('t', quota.resetSeconds)}`]);
    if (quota.limit !== null)
      fields.push(['ratelimit-policy', `"default";q=${quota.limit}${parameter('w', quota.windowSeconds)}`]);
  }
  if (deprecation) {
    const { since, sunset, links } = deprecation;
    if (since !== null) fields.push(['deprecation', `@${Date.parse(since) / 1000}`]);
    if (sunset !== null) fields.push(['sunset', new Date(sunset).toUTCString()]);
    if (links.length > 0)
      fields.push(['link', links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ')]);
  }
  return fields;
}

function parameter(name: string, value: number | null): string {
  return value === null ? '' : `;${name}=${value}`;
}
