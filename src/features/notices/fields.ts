import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamResponse } from '../../rest/call.ts';
import { fieldOf, MAX_WAIT_SECONDS, msFromDate } from '../../rest/http-date.ts';
import { latestOf } from '../../rest/memo.ts';
import type { Deprecation, Notices, Quota } from '../../rest/notices.ts';

/** The names of the fields that a response of the gateway has. */
export const passedFields = ['ratelimit', 'ratelimit-policy', 'deprecation', 'sunset'];

/**
 * Reads `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers, 10), `Deprecation` (RFC 9745) and
 * `Sunset` (RFC 8594); a field that is malformed is ignored. A 429 is an exhausted quota.
 */
export function readNotices({
  status,
  headers,
  retryAfter,
}: Pick<UpstreamResponse, 'status' | 'headers' | 'retryAfter'>): Notices | null {
  const limits = limitsFrom(headers);
  const [least = null] = limits;
  const quota = status === 429 ? exhausted(least, retryAfter) : least;
  const deprecation = deprecationFrom(headers);
  if (!quota && !deprecation) return null;
  return { quota, reservedMs: Math.max(0, ...limits.map(reservedMs)), deprecation };
}

/** An item of a list, such as `"default";r=5;t=60`, with the parameters that count. */
type Item = { name: string } & Partial<Record<'q' | 'r' | 't' | 'w', number>>;

const MAX_FIELD_CHARACTERS = 1000;
/** One item, as nearly every response has it: to split it takes longer. */
const usual = /^"([\w-]*)";r=(\d{1,15});t=(\d{1,15})$/;

function itemsFrom(field: string): readonly Item[] {
  const [, name = '', r, t] = usual.exec(field) ?? [];
  if (r !== undefined) return [{ name, r: Number(r), t: Number(t) }];
  return field.length > MAX_FIELD_CHARACTERS ? [] : field.split(',').map(itemFrom);
}

function itemFrom(text: string): Item {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const counts = parameters.filter((one) => /^[qrtw]=\d{1,15}$/.test(one));
  return {
    name: name.replaceAll('"', ''),
    ...Object.fromEntries(counts.map((one) => [one.slice(0, 1), Number(one.slice(2))])),
  };
}

// Most responses have the same texts.
const readPolicies = latestOf(itemsFrom);
const readSince = latestOf((text: string) => isoOf(msFromSince(text)));
const readSunset = latestOf((text: string) => isoOf(msFromDate(text)));

/** The form of the drafts 7 to 9, beside `RateLimit-Policy: 100;w=60`. */
const ofDraft7 = /^limit=(\d{1,15}), ?remaining=(\d{1,15}), ?reset=(\d{1,15})$/;

/** The limits that both fields describe, that with the least remaining first. */
function limitsFrom(headers: IncomingHttpHeaders): Quota[] {
  if (headers.ratelimit === undefined) return [];
  const field = fieldOf(headers, 'ratelimit');
  const policies = readPolicies(fieldOf(headers, 'ratelimit-policy'));
  const [, q, r, t] = ofDraft7.exec(field) ?? [];
  if (q !== undefined) {
    const { w = null } = policies.find(({ name }) => name === q) ?? {};
    return [{ remaining: Number(r), limit: Number(q), windowSeconds: w, resetSeconds: Number(t) }];
  }
  const limits = itemsFrom(field).flatMap(({ name, r, t = null }) => {
    const { q = null, w = null } = policies.find((policy) => policy.name === name) ?? {};
    return r === undefined ? [] : [{ remaining: r, limit: q, windowSeconds: w, resetSeconds: t }];
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

function deprecationFrom(headers: IncomingHttpHeaders): Deprecation | null {
  if (headers.deprecation === undefined && headers.sunset === undefined) return null;
  const since = readSince(fieldOf(headers, 'deprecation'));
  const sunset = readSunset(fieldOf(headers, 'sunset'));
  return since === null && sunset === null ? null : { since, sunset };
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** A date of structured fields (RFC 9651, 3.3.7), `@1767225600`, or of HTTP, as in drafts of RFC 9745. */
function msFromSince(value: string): number | undefined {
  const [, seconds] = /^@(\d{1,11})$/.exec(value) ?? [];
  return seconds === undefined ? msFromDate(value) : Number(seconds) * 1000;
}

/** Has a response say in its header fields what the REST API said in the calls for it, in standard form. */
export function passedNotices({ notices }: { notices: Notices | null }): [name: string, value: string][] {
  const { quota, deprecation } = notices ?? {};
  const fields: [string, string][] = [];
  if (quota) {
    fields.push(['ratelimit', `"default";r=${quota.remaining}${parameter('t', quota.resetSeconds)}`]);
    if (quota.limit !== null)
      fields.push(['ratelimit-policy', `"default";q=${quota.limit}${parameter('w', quota.windowSeconds)}`]);
  }
  const { since = null, sunset = null } = deprecation ?? {};
  if (since !== null) fields.push(['deprecation', `@${Date.parse(since) / 1000}`]);
  if (sunset !== null) fields.push(['sunset', new Date(sunset).toUTCString()]);
  return fields;
}

function parameter(name: string, value: number | null): string {
  return value === null ? '' : `;${name}=${value}`;
}
