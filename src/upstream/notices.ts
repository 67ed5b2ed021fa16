import type { Drift } from './json.ts';

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
  links: readonly { rel: 'deprecation' | 'sunset'; href: string }[];
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

/** The notices of a response to this key; null where it has none. `drift` gets each field that is malformed. */
export function noticesOf(
  { status, headers, retryAfter }: { status: number; headers: Fields; retryAfter: number | undefined },
  drift: Drift,
  apiKey: string,
): Notices | null {
  const limits = limitsOfLatestForm(headers) ?? limitsFrom(headers, drift);
  const deprecation = deprecationFrom(headers, drift, apiKey);
  const quota = limits.length > 1 ? limits.reduce(least) : (limits[0] ?? null);
  if (status === 429) return new Notices(exhausted(quota, retryAfter), reservedMs(limits), deprecation);
  return quota || deprecation ? new Notices(quota, reservedMs(limits), deprecation) : null;
}

function least<Q extends Quota | null>(one: Q, other: Q): Q {
  return one && other ? (other.remaining < one.remaining ? other : one) : (one ?? other);
}

function exhausted(quota: Quota | null, retryAfter: number | undefined): Quota {
  const { limit = null, windowSeconds = null, resetSeconds = null } = quota ?? {};
  return { remaining: 0, limit, windowSeconds, resetSeconds: resetSeconds ?? retryAfter ?? null };
}

function first(one: Deprecation | null, other: Deprecation | null): Deprecation | null {
  if (!one || !other) return one ?? other;
  return other.sunset !== null && (one.sunset === null || other.sunset < one.sunset) ? other : one;
}

/** Below this share of its quota a key is left to queries. */
export const RESERVED_SHARE = 1 / 5;
/** The longest time that counts. */
const MAX_WAIT_SECONDS = 3600;

/** The longest time of a limit with less than a fifth left. Of a limit without a quota only an empty one counts. */
function reservedMs(limits: readonly Quota[]): number {
  let seconds = 0;
  for (const { remaining, limit, resetSeconds } of limits) {
    const isReserved = remaining === 0 || remaining < (limit ?? 0) * RESERVED_SHARE;
    if (isReserved) seconds = Math.max(seconds, Math.min(resetSeconds ?? 0, MAX_WAIT_SECONDS));
  }
  return seconds * 1000;
}

type Fields = Pick<Headers, 'get'> & {
  /** The value of a field that the response has once, not decoded. */
  bytes?(name: string): Uint8Array | undefined;
};

const none: never[] = [];

/** The limits that both fields describe. A policy belongs to the limit of its name. */
function limitsFrom(headers: Fields, drift: Drift): Quota[] {
  const field = headers.get('ratelimit');
  if (field === null) return none;
  const items = itemsOf(field);
  if (!items?.every(({ r }) => r !== undefined)) {
    drift('RateLimit');
    return none;
  }
  const policies = policiesFrom(headers.get('ratelimit-policy'), drift);
  rememberForm(headers, field, items, policies);
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

/** A response with one limit, `"default";r=5997;t=41`, apart from its numbers. */
interface QuotaForm {
  /** `"default";r=` */
  start: Uint8Array;
  policy: Uint8Array;
  limit: number | null;
  windowSeconds: number | null;
}

/** That of the latest response: most have the same. */
let latestForm: QuotaForm | null = null;

function rememberForm(headers: Fields, field: string, items: Item[], policies: Item[]): void {
  const [start] = /^"[\w-]*";r=(?=\d{1,15};t=\d{1,15}$)/.exec(field) ?? [];
  const sent = headers.bytes?.('ratelimit-policy');
  const policy = policies.find(({ name }) => name === items[0]?.name);
  if (start === undefined || !sent || !policy) return;
  const { q = null, w = null } = policy;
  // A copy: the bytes of a response are a part of all that its connection has read.
  latestForm = { start: Buffer.from(start), policy: Buffer.from(sent), limit: q, windowSeconds: w };
}

/**
 * The limit of a response that has the form of the latest one; null for any other. Read from the bytes: to
 * decode and parse the fields takes 4 % of the CPU time of an operation.
 */
function limitsOfLatestForm(headers: Fields): [Quota] | null {
  const field = latestForm && headers.bytes?.('ratelimit');
  const policy = field && headers.bytes?.('ratelimit-policy');
  if (!policy || policy.length !== latestForm?.policy.length) return null;
  const { start, limit, windowSeconds } = latestForm;
  if (!startsWith(policy, latestForm.policy) || !startsWith(field, start)) return null;
  const end = endOfDigits(field, start.length);
  // `;t=`
  if (field[end] !== 0x3b || field[end + 1] !== 0x74 || field[end + 2] !== 0x3d) return null;
  const remaining = numberIn(field, start.length, end);
  const resetSeconds = numberIn(field, end + 3, field.length);
  return remaining < 0 || resetSeconds < 0 ? null : [{ remaining, limit, windowSeconds, resetSeconds }];
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let n = 0; n < start.length; n += 1) if (bytes[n] !== start[n]) return false;
  return true;
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let end = start;
  while (isDigit(bytes[end])) end += 1;
  return end;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** A whole number of 1 to 15 digits; -1 for anything else. */
function numberIn(bytes: Uint8Array, start: number, end: number): number {
  let number = end > start && end - start <= 15 && endOfDigits(bytes, start) >= end ? 0 : -1;
  for (let n = start; n < end && number >= 0; n += 1) number = number * 10 + Number(bytes[n]) - 0x30;
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

function quotaLines(quota: Quota | null): string {
  if (!quota) return '';
  const { remaining, limit, windowSeconds, resetSeconds } = quota;
  const left = `ratelimit: "default";r=${remaining}${withNumber('t', resetSeconds)}\r\n`;
  if (limit === null) return left;
  return `${left}ratelimit-policy: "default";q=${limit}${withNumber('w', windowSeconds)}\r\n`;
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
function deprecationFrom(headers: Fields, drift: Drift, apiKey: string): Deprecation | null {
  const since = headers.get('deprecation');
  const sunset = headers.get('sunset');
  if (since === null && sunset === null) return null;
  const sent = headers.get('link');
  // A link is shown, logged and opened: none may reveal the key.
  const link = [apiKey, encodeURIComponent(apiKey)].some((text) => sent?.includes(text)) ? null : sent;
  const fields = JSON.stringify([since, sunset, link]);
  if (fields !== latestDeprecation.fields)
    latestDeprecation = { fields, ...readDeprecation(since, sunset, link) };
  for (const name of latestDeprecation.malformed) drift(name);
  return latestDeprecation.read;
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

/** A date of structured fields (RFC 9651, 3.3.7): `@1767225600`. */
function sinceFrom(field: string | null): string | null {
  const [, digits] = /^@(\d{1,12})$/.exec(field ?? '') ?? [];
  const seconds = Number(digits);
  return seconds <= MAX_SECONDS ? new Date(seconds * 1000).toISOString() : null;
}

function sunsetFrom(field: string | null): string | null {
  const ms = msFrom(field ?? '');
  return ms === undefined ? null : new Date(ms).toISOString();
}

const MAX_LINK_CHARACTERS = 500;

/** The first link of each relation, in a Link field (RFC 8288, 3); null for one that is malformed. */
function linksFrom(field: string): Deprecation['links'] | null {
  if (field.length > MAX_FIELD_CHARACTERS) return null;
  const value =
    /[ \t]*<([^<>]*)>((?:[ \t]*;[ \t]*[\w!#$&+.^`|~*-]+(?:=(?:"[^"]*"|[^\s";,]+))?)*)[ \t]*(?:,|$)/y;
  const links = new Map<string, string>();
  do {
    const [, target = '', parameters = ''] = value.exec(field) ?? [];
    if (value.lastIndex === 0) return null;
    const [, quoted, word = ''] = /;[ \t]*rel=(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters) ?? [];
    const href = hrefFrom(target);
    for (const rel of (quoted ?? word).toLowerCase().split(' '))
      if (href !== null && !links.has(rel)) links.set(rel, href);
  } while (field[value.lastIndex - 1] === ',');
  return (['deprecation', 'sunset'] as const).flatMap((rel) => {
    const href = links.get(rel);
    return href === undefined ? [] : [{ rel, href }];
  });
}

/** An absolute address of a page; another one would be relative to the REST API, which callers do not know. */
function hrefFrom(target: string): string | null {
  const url = target.length <= MAX_LINK_CHARACTERS && URL.canParse(target) ? new URL(target) : null;
  const isPage = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPage ? url.href : null;
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

const imfFixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The delay in a `Retry-After` field (RFC 9110, 10.2.3), in whole seconds from 0 to 3600: longer delays are
 * cut, times in the past are 0, and a value that is neither seconds nor a date is `undefined`.
 */
export function retryAfterFrom(field: string | null, nowMs: number): number | undefined {
  const text = field?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS);
}

function secondsUntil(date: string, nowMs: number): number | undefined {
  const ms = msFrom(date);
  return ms === undefined ? undefined : Math.ceil((ms - nowMs) / 1000);
}

/** A date of HTTP (RFC 9110, 5.6.7), in milliseconds since 1970. */
function msFrom(date: string): number | undefined {
  const ms = imfFixdate.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Every header field that may be reported to `drift`. */
export const noticeFields = ['RateLimit', 'RateLimit-Policy', 'Deprecation', 'Sunset', 'Link'];
