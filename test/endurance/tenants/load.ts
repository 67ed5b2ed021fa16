import { Pool } from 'undici';
import { onTestFinished } from 'vitest';
import { judge, type ReadPart } from './check.ts';
import { anyOperation, type Operation } from './operations.ts';
import { keys, oneOf } from './population.ts';

const WAVES_AT_ONCE = 8;
const LEAVES_OF_A_HUNDRED = 5;
const LONGEST_PATIENCE_MS = 40;
const FLAWS_TOLD = 10;

/** What came of many requests. */
export interface Outcome {
  /** The first of them; an empty list is what everybody hopes for. */
  flaws: string[];
  stamps: number;
  left: number;
  /** How many REST calls were had from where. */
  sources: Record<string, number>;
  statuses: Record<string, number>;
}

/**
 * Asks so many requests of the gateways: in waves, in each of which every key asks for the same at the same instant,
 * twice, at gateways taken at random; now and then one leaves before its answer comes.
 */
export async function runLoad(urls: readonly string[], requests: number): Promise<Outcome> {
  const pools = urls.map((url) => new Pool(new URL(url).origin, { connections: 200 }));
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
  });
  const outcome: Outcome = { flaws: [], stamps: 0, left: 0, sources: {}, statuses: {} };
  let waves = Math.ceil(requests / (keys.length * 2));

  const inWaves = async () => {
    while (waves > 0) {
      waves -= 1;
      const operation = anyOperation();
      await Promise.all([...keys, ...keys].map((key) => askOne(oneOf(pools), key, operation, outcome)));
    }
  };
  await Promise.all(Array.from({ length: WAVES_AT_ONCE }, inWaves));
  return outcome;
}

async function askOne(pool: Pool, key: string, operation: Operation, outcome: Outcome): Promise<void> {
  const departure = new AbortController();
  const leaves = Math.random() * 100 < LEAVES_OF_A_HUNDRED;
  if (leaves) setTimeout(() => departure.abort(), Math.random() * LONGEST_PATIENCE_MS);
  try {
    const { status, text } = await post(pool, key, operation, departure.signal);
    count(outcome.statuses, String(status));
    const parts = partsFrom(text);
    const { flaws, stamps } = judge(parts, key, operation);
    outcome.stamps += stamps;
    outcome.flaws.push(...flaws.slice(0, FLAWS_TOLD - outcome.flaws.length));
    for (const { extensions } of parts) {
      for (const { source } of extensions?.upstream?.calls ?? []) count(outcome.sources, source);
    }
  } catch (error) {
    if (!departure.signal.aborted) throw error;
    outcome.left += 1;
  }
}

async function post(pool: Pool, key: string, { query, variables, inParts }: Operation, signal: AbortSignal) {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/graphql',
    headers: {
      'content-type': 'application/json',
      accept: inParts ? 'multipart/mixed' : 'application/json',
      'x-api-key': key,
      'x-explain': 'report',
    },
    body: JSON.stringify({ query, variables }),
    signal,
  });
  return { status: statusCode, text: await body.text() };
}

/** An answer sent whole is its only part. */
function partsFrom(text: string): ReadPart[] {
  if (text.startsWith('{')) return [JSON.parse(text)];
  return [...text.matchAll(/\r\n\r\n(\{[^\n]*\})\r\n---/g)].map(([, json = '']) => JSON.parse(json));
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
