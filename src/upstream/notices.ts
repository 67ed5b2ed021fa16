import { MAX_WAIT_SECONDS, msFromDate, valuesOf } from './http-date.ts';
import type { Drift } from './json.ts';
import { type Link, linksFrom, withoutKey } from './links.ts';

/**
 * What is left of a limit of a key, as `RateLimit` and `RateLimit-Policy` say
 * (draft-ietf-httpapi-ratelimit-headers, 10). Null: they do not say.
 */
interface Quota {
  remaining: number;
  /** How many calls the key may make in each window. */
  limit: number | null;
  windowSeconds: number | null;
  /** After so many seconds more is left. */
  resetSeconds: number | null;
}

/** Since when the REST API is deprecated and when it ends, in ISO 8601. Null: it does not say. */
export interface Deprecation {
  since: string | null;
  sunset: string | null;
  /** Pages about it, one for each relation at most. */
  links: readonly Link[];
}

/**
 * What the REST API says of a key and of itself in the header fields of one response, or of all responses
 * that an operation's own calls brought: never what another key was told.
 */
export class Notices {
  readonly quota: Quota | null;
  /** How long the rest of the key's quota is to be left to queries. */
  readonly reservedMs: number;
  readonly deprecation: Deprecation | null;

  constructor(quota: Quota | null, reservedMs: number, deprecation: Deprecation | null) {
    this.quota = quota;
    this.reservedMs = reservedMs;
    this.deprecation = deprecation;
  }

  /** Both together: the quota with the least remaining, and the deprecation that ends first. */
  with(other: Notices): Notices {
    const reservedMs = Math.max(this.reservedMs, other.reservedMs);
    return new Notices(
      least(this.quota, other.quota),
      reservedMs,
      first(this.deprecation, other.deprecation),
    );
  }

  /** The same as header fields of a response, in standard form: lines that end with CRLF. */
  get lines(): string {
    return quotaLines(this.quota) + deprecationLines(this.deprecation);
  }

  /** The names and values in these lines. */
  get fields(): [name: string, value: string][] {
    const lines = this.lines.split('\r\n').slice(0, -1);
    return lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  }
}

/** Every header field that brings notices. */
export const noticeFields = ['RateLimit', 'RateLimit-Policy', 'Deprecation', 'Sunset', 'Link'];

/** The values of these fields in the same order, as they came. */
type FieldValues = readonly (Buffer | undefined)[];

/**
 * The notices of a response to this key; null where it has none. `values`: null for a response without any of
 * the fields. `drift` gets each field that is malformed.
 */
export function noticesOf(
  {
    status,
    values,
    retryAfter,
  }: { status: number; values: FieldValues | null; retryAfter: number | undefined },
  drift: Drift,
  apiKey: string,
): Notices | null {
  const [rateLimit, policy, since, sunset, link] = values ?? none;
  const isQuotaAlone = status !== 429 && since === undefined && sunset === undefined;
  const only = isQuotaAlone ? quotaOfLatestForm(rateLimit, policy) : null;
  if (only) return new Notices(only, reservedMs(only), null);
  const limits = limitsFrom(textOf(rateLimit), textOf(policy), drift);
  const deprecation = deprecationFrom([textOf(since), textOf(sunset), textOf(link)], drift, apiKey);
  const quota = limits.length > 1 ? limits.reduce(least) : (limits[0] ?? null);
  const reserved = Math.max(0, ...limits.map(reservedMs));
  if (status === 429) return new Notices(exhausted(quota, retryAfter), reserved, deprecation);
  return quota || deprecation ? new Notices(quota, reserved, deprecation) : null;
}

function least<Q extends Quota | null>(one: Q, other: Q): Q {
  return one && other ? (other.remaining < one.remaining ? other : one) : (one ?? other);
}

const noQuota: Quota = { remaining: 0, limit: null, windowSeconds: null, resetSeconds: null };

function exhausted(quota: Quota | null, retryAfter: number | undefined): Quota {
  const { limit, windowSeconds, resetSeconds } = quota ?? noQuota;
  return { remaining: 0, limit, windowSeconds, resetSeconds: resetSeconds ?? retryAfter ?? null };
}

function first(one: Deprecation | null, other: Deprecation | null): Deprecation | null {
  if (!one || !other) return one ?? other;
  return other.sunset !== null && (one.sunset === null || other.sunset < one.sunset) ? other : one;
}

/** Below this share of its quota a key is left to queries. */
export const RESERVED_SHARE = 1 / 5;

/** The time of a limit with less than a fifth left, else 0. Of a limit without a quota only an empty one counts. */
function reservedMs({ remaining, limit, resetSeconds }: Quota): number {
  const isReserved = remaining === 0 || remaining < (limit ?? 0) * RESERVED_SHARE;
  return isReserved ? Math.min(resetSeconds ?? 0, MAX_WAIT_SECONDS) * 1000 : 0;
}

const none: never[] = [];

function textOf(value: Buffer | undefined): string | null {
  return value?.toString('latin1') ?? null;
}

/** The limits that both fields describe. A policy belongs to the limit of its name. */
function limitsFrom(field: string | null, policyField: string | null, drift: Drift): Quota[] {
  if (field === null) return none;
  const items = itemsOf(field);
  if (!items?.every(({ r }) => r !== undefined)) {
    drift('RateLimit');
    return none;
  }
  const policies = policiesFrom(policyField, drift);
  rememberForm(field, policyField, items, policies);
  return items.map(({ name, r = 0, t }) => {
    const policy = policies.find((one) => one.name === name);
    return {
      remaining: r,
      limit: policy?.q ?? null,
      windowSeconds: policy?.w ?? null,
      resetSeconds: t ?? null,
    };
  });
}

/** The latest form of a response with one limit, apart from its numbers: `start` is `"default";r=`. */
let latestForm: (Pick<Quota, 'limit' | 'windowSeconds'> & { start: Buffer; policy: Buffer }) | null = null;

function rememberForm(field: string, sent: string | null, items: Item[], policies: Item[]): void {
  const [start] = /^"[\w-]*";r=(?=\d{1,15};t=\d{1,15}$)/.exec(field) ?? [];
  const policy = policies.find(({ name }) => name === items[0]?.name);
  if (start === undefined || sent === null || !policy) return;
  const { q: limit = null, w: windowSeconds = null } = policy;
  latestForm = { start: Buffer.from(start), policy: Buffer.from(sent, 'latin1'), limit, windowSeconds };
}

/**
 * The limit of a response that has the form of the latest one; null for any other. Read from the bytes: to
 * decode and parse the fields takes 4 % of the CPU time of an operation.
 */
function quotaOfLatestForm(field: Buffer | undefined, policy: Buffer | undefined): Quota | null {
  if (!field || !policy || policy.length !== latestForm?.policy.length) return null;
  const { start, limit, windowSeconds } = latestForm;
  if (!startsWith(policy, latestForm.policy) || !startsWith(field, start)) return null;
  // This is a loop, because `indexOf` leaves JavaScript and takes longer than all of this.
  let end = start.length;
  while (end < field.length && field[end] !== 0x3b) end += 1;
  // `;t=`
  if (field[end + 1] !== 0x74 || field[end + 2] !== 0x3d) return null;
  const remaining = numberIn(field, start.length, end);
  const resetSeconds = numberIn(field, end + 3, field.length);
  return remaining < 0 || resetSeconds < 0 ? null : { remaining, limit, windowSeconds, resetSeconds };
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  for (let n = 0; n < start.length; n += 1) if (bytes[n] !== start[n]) return false;
  return true;
}

/** A whole number of 1 to 15 digits; -1 for anything else. */
function numberIn(bytes: Buffer, start: number, end: number): number {
  let number = start < end && end - start <= 15 ? 0 : -1;
  for (let n = start; n < end && number >= 0; n += 1) {
    const digit = Number(bytes[n]) - 0x30;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : -1;
  }
  return number;
}

function policiesFrom(field: string | null, drift: Drift): Item[] {
  if (field === null) return none;
  const policies = itemsOf(field);
  if (policies?.every(({ q }) => q !== undefined)) return policies;
  drift('RateLimit-Policy');
  return none;
}

/** An item of a structured list (RFC 9651), with the parameters that the draft defines. */
interface Item {
  name: string;
  q?: number;
  r?: number;
  t?: number;
  w?: number;
}

/** A longer field is malformed, and one with more items. */
const MAX_FIELD_CHARACTERS = 1000;
const MAX_ITEMS = 10;

const text = '"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"';
const token = "[A-Za-z*][\\w!#$%&'*+.^`|~:/-]*";
const value = `(?:-?\\d{1,15}(?:\\.\\d{1,3})?|${text}|${token}|\\?[01]|:[\\w+/=]*:)`;
const key = '[a-z*][a-z0-9_.*-]*';
const item = new RegExp(`[ \\t]*(${text}|${token})((?:; *${key}(?:=${value})?)*)[ \\t]*(?:,|$)`, 'y');
const parameter = new RegExp(`; *(${key})(?:=(${value}))?`, 'g');

/** Null for a list that is malformed, or whose numbers are not whole. */
function itemsOf(field: string): Item[] | null {
  if (field.length > MAX_FIELD_CHARACTERS) return null;
  const items: Item[] = [];
  item.lastIndex = 0;
  do {
    const [, name, parameters = ''] = item.exec(field) ?? [];
    if (name === undefined || items.length === MAX_ITEMS) return null;
    const one: Item = { name };
    parameter.lastIndex = 0;
    for (let match = parameter.exec(parameters); match; match = parameter.exec(parameters)) {
      const [, key = '', value = ''] = match;
      if (key !== 'q' && key !== 'r' && key !== 't' && key !== 'w') continue;
      if (!/^\d+$/.test(value)) return null;
      one[key] = Number(value);
    }
    items.push(one);
  } while (field[item.lastIndex - 1] === ',');
  return items;
}

/** What is written after the number of remaining calls: the same for most responses of a second. */
let latestEnd: Quota & { text: string } = { ...noQuota, text: '\r\n' };

function quotaLines(quota: Quota | null): string {
  if (!quota) return '';
  const { remaining, limit, windowSeconds, resetSeconds } = quota;
  const of = latestEnd;
  const isSame = limit === of.limit && windowSeconds === of.windowSeconds && resetSeconds === of.resetSeconds;
  if (!isSame) {
    const policy =
      limit === null ? '' : `ratelimit-policy: "default";q=${limit}${withNumber('w', windowSeconds)}\r\n`;
    latestEnd = { ...quota, text: `${withNumber('t', resetSeconds)}\r\n${policy}` };
  }
  return `ratelimit: "default";r=${remaining}${latestEnd.text}`;
}

function withNumber(name: string, value: number | null): string {
  return value === null ? '' : `;${name}=${value}`;
}

/** The latest one: most responses have the same, or none. */
let latestDeprecation: { fields: string; read: Deprecation | null; malformed: string[] } = {
  fields: '',
  read: null,
  malformed: none,
};

/** What `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and their links say. Links alone say nothing. */
function deprecationFrom(
  [since = null, sunset = null, link = null]: (string | null)[],
  drift: Drift,
  apiKey: string,
): Deprecation | null {
  if (since === null && sunset === null) return null;
  const fields = JSON.stringify([since, sunset, link]);
  if (fields !== latestDeprecation.fields)
    latestDeprecation = { fields, ...readDeprecation(since, sunset, link) };
  const { read, malformed } = latestDeprecation;
  for (const name of malformed) drift(name);
  const links = withoutKey(read?.links ?? none, apiKey);
  return read && (links === read.links ? read : { ...read, links });
}

function readDeprecation(since: string | null, sunset: string | null, link: string | null) {
  const read = {
    since: sinceFrom(since),
    sunset: sunsetFrom(sunset),
    links: link === null ? [] : linksFrom(link),
  };
  const malformed = [
    ...(since !== null && read.since === null ? ['Deprecation'] : []),
    ...(sunset !== null && read.sunset === null ? ['Sunset'] : []),
    ...(read.links === null ? ['Link'] : []),
  ];
  const isSaid = read.since !== null || read.sunset !== null;
  return { read: isSaid ? { ...read, links: read.links ?? [] } : null, malformed };
}

/** The end of the year 9999: later times have no date of four digits. */
const MAX_SECONDS = 253_402_300_799;

/** A date of structured fields (RFC 9651, 3.3.7), `@1767225600`, or of HTTP, as in drafts of RFC 9745. */
function sinceFrom(field: string | null): string | null {
  return firstOf(field, (value) => {
    const [, digits] = /^@(\d{1,12})$/.exec(value) ?? [];
    const seconds = Number(digits);
    return seconds <= MAX_SECONDS ? seconds * 1000 : msFromDate(value);
  });
}

function sunsetFrom(field: string | null): string | null {
  return firstOf(field, msFromDate);
}

function firstOf(field: string | null, read: (value: string) => number | undefined): string | null {
  const times = valuesOf(field, read);
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

function deprecationLines(deprecation: Deprecation | null): string {
  if (!deprecation) return '';
  const { since, sunset, links } = deprecation;
  let lines = '';
  if (since !== null) lines += `deprecation: @${Date.parse(since) / 1000}\r\n`;
  if (sunset !== null) lines += `sunset: ${new Date(sunset).toUTCString()}\r\n`;
  if (links.length > 0)
    lines += `link: ${links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ')}\r\n`;
  return lines;
}
