import { Pool } from 'undici';
import { onTestFinished } from 'vitest';
import { judge, type ReadPart } from './check.ts';
import { anyOperation, type Operation } from './operations.ts';
import { keys, oneOf } from './population.ts';

const WAVES_AT_ONCE = 8;
const ABORTED_PERCENT = 5;
const LONGEST_BEFORE_ABORT_MS = 40;
const FLAWS_SHOWN = 10;

/** The result of many requests. */
export interface Outcome {
  /** The first flaws found. */
  flaws: string[];
  stamps: number;
  aborted: number;
  /** REST calls by the source of their response. */
  sources: Record<string, number>;
  statuses: Record<string, number>;
}

/**
 * Sends `requests` requests in waves: in a wave every key sends the same operation twice at the same time, to random
 * gateways. Some clients disconnect before the response.
 */
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
