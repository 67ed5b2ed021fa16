import { Pool } from 'undici';
import { onTestFinished } from 'vitest';
import { stampFrom } from '../../support/upstreams/stamping.ts';
import { anyOperation, keys, limitedKeys, type Operation, oneOf } from './population.ts';

const WAVES_AT_ONCE = 8;
const ABORTED_PERCENT = 5;
const LONGEST_BEFORE_ABORT_MS = 40;
const FLAWS_SHOWN = 10;

export interface Outcome {
  flaws: string[];
  stamps: number;
  aborted: number;
  /** REST calls by the source of their response. */
  sources: Record<string, number>;
  statuses: Record<string, number>;
}

/** Sends so many requests in waves, in which each key sends an operation twice at once; some disconnect. */
export async function runLoad(urls: readonly string[], requests: number): Promise<Outcome> {
  const pools = urls.map((url) => new Pool(new URL(url).origin, { connections: 200 }));
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
  });
  const outcome: Outcome = { flaws: [], stamps: 0, aborted: 0, sources: {}, statuses: {} };
  let waves = Math.ceil(requests / (keys.length * 2));

  const sendWaves = async () => {
    while (waves > 0) {
      waves -= 1;
      const operation = anyOperation();
      await Promise.all([...keys, ...keys].map((key) => sendOne(oneOf(pools), key, operation, outcome)));
    }
  };
  await Promise.all(Array.from({ length: WAVES_AT_ONCE }, sendWaves));
  return outcome;
}

async function sendOne(pool: Pool, key: string, operation: Operation, outcome: Outcome): Promise<void> {
  const client = new AbortController();
  const isAborted = Math.random() * 100 < ABORTED_PERCENT;
  if (isAborted) setTimeout(() => client.abort(), Math.random() * LONGEST_BEFORE_ABORT_MS);
  try {
    const { status, text } = await post(pool, key, operation, client.signal);
    count(outcome.statuses, String(status));
    const parts = partsFrom(text);
    const { flaws, stamps } = judge(parts, key, operation);
    outcome.stamps += stamps;
    outcome.flaws.push(...flaws.slice(0, FLAWS_SHOWN - outcome.flaws.length));
    for (const { extensions } of parts) {
      for (const { source } of extensions?.upstream?.calls ?? []) count(outcome.sources, source);
    }
  } catch (error) {
    if (!client.signal.aborted) throw error;
    outcome.aborted += 1;
  }
}

async function post(
  pool: Pool,
  key: string,
  { query, variables, isIncremental }: Operation,
  signal: AbortSignal,
) {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/graphql',
    headers: {
      'content-type': 'application/json',
      accept: isIncremental ? 'multipart/mixed' : 'application/json',
      'x-api-key': key,
      'x-explain': 'report',
    },
    body: JSON.stringify({ query, variables }),
    signal,
  });
  return { status: statusCode, text: await body.text() };
}

/** A complete response is a single part. */
function partsFrom(text: string): ReadPart[] {
  if (text.startsWith('{')) return [JSON.parse(text)];
  return [...text.matchAll(/\r\n\r\n(\{[^\n]*\})\r\n---/g)].map(([, json = '']) => JSON.parse(json));
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

interface ReadPart {
  data?: unknown;
  incremental?: ReadPart[];
  path?: (string | number)[];
  errors?: { message: string; extensions: { code: string } }[];
  extensions?: { upstream?: { calls: { source: string }[] } };
}

const allowedCodes = [
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
  'RATE_LIMITED',
];

/** Finds stamps of another key or another request in a response, and counts the right ones. */
function judge(parts: readonly ReadPart[], key: string, { ids }: Operation) {
  const flaws: string[] = [];
  let stamps = 0;
  for (const part of parts.flatMap((whole) => [whole, ...(whole.incremental ?? [])])) {
    flaws.push(...(part.errors ?? []).flatMap((error) => problemOfError(error, key) ?? []));
    if (part.path) readBelow(part.data);
    else readRoot(part.data);
  }
  return { flaws, stamps };

  function readRoot(data: unknown): void {
    const found = isObject(data) ? data.found : null;
    const each = Array.isArray(found) ? found : [found];
    each.forEach((one, n) => {
      if (isObject(one) && one.id !== ids[n]) flaws.push(`requested ${ids[n]}, received ${one.id}`);
      readBelow(one);
    });
  }

  /** The texts of one object come from one REST response, for the `id` of the object if it has one. */
  function readBelow(value: unknown): void {
    if (Array.isArray(value)) value.forEach(readBelow);
    if (!isObject(value)) return;
    const id = 'city' in value || 'subject' in value ? value.id : undefined;
    const texts = Object.entries(value).flatMap(([name, text]) =>
      (typeof text === 'string' && (name !== 'id' || id === undefined)) || isTexts(text) ? [text].flat() : [],
    );
    const nonces = new Set<number>();
    for (const text of texts) {
      const stamp = stampFrom(text);
      if (stamp?.key !== key) flaws.push(`${key} receives ${text}`);
      else if (id !== undefined && stamp.id !== id) flaws.push(`${id} receives ${text}`);
      else stamps += 1;
      if (stamp) nonces.add(stamp.nonce);
    }
    if (nonces.size > 1) flaws.push(`one object from ${nonces.size} REST responses: ${texts}`);
    for (const inner of Object.values(value)) readBelow(inner);
  }
}

function problemOfError(
  { message, extensions: { code } }: { message: string; extensions: { code: string } },
  key: string,
) {
  if (!allowedCodes.includes(code)) return `${code}: ${message}`;
  if (code === 'RATE_LIMITED' && !limitedKeys.has(key))
    return `${key} is rejected for the rate limit of another key`;
  // The upstream sends the requested site: another site means the response to another call.
  if (message.includes('another site')) return `${key}: ${message}`;
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
