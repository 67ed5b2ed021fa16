import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { expect, it } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import type { Readings } from '../support/probe.ts';
import { scaled } from '../support/scale.ts';
import { startFlakyUpstream } from '../support/upstreams/flaky.ts';
import { isIdle, memoryOptions, untilIdle } from './idle.ts';

type Memory = Readings['memory'];

/** A minute in `npm run test:long`, half an hour in `npm run soak`. */
const seconds = scaled(6);
const SAMPLES = 60;
const isShort = seconds < 60;
/** Caches and compiled code grow in the first seconds. */
const MAX_GROWTH_BYTES = isShort ? 6_000_000 : 3_000_000;
const MAX_GROWTH_SOCKETS = isShort ? 128 : 16;
const timeout = (seconds * 2 + 240) * 1000;

const settings = {
  CACHE_TTL_MS: '1000',
  CACHE_STALE_IF_ERROR_MS: '1000',
  CACHE_MAX_BYTES: '262144',
  LIVE: 'on',
  LIVE_INTERVAL_S: '1',
  // A timer that is not cleared outlives the test.
  OPERATION_TIMEOUT_MS: '600000',
  UPSTREAM_TIMEOUT_MS: '600000',
  LOG_LEVEL: 'error',
};

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median of the last quarter less that of the second: neither the start nor a single sample decides. */
function growth(values: readonly number[]): number {
  const quarter = Math.floor(values.length / 4);
  return median(values.slice(-quarter)) - median(values.slice(quarter, 2 * quarter));
}

const AT_ONCE = 24;
/** Between two requests of one client. */
const LONGEST_PAUSE_MS = 40;

type Request = Omit<Dispatcher.RequestOptions, 'origin' | 'method'> & { method: 'GET' | 'POST' | 'PUT' };

/** One kind of request, made for the nth request of the load, and the statuses that its response may have. */
interface RequestKind {
  request(n: number): Request;
  statuses: readonly number[];
  /** The client disconnects within this time, unless the response has ended. */
  abortsWithinMs?: number;
}

const json = { 'content-type': 'application/json', accept: 'application/json' };
const plain = 'query ($id: ID!) { site(id: $id) { id city } }';
const incremental = 'query ($id: ID!) { site(id: $id) { id city ... @defer { clients { name } } } }';
const live = 'subscription ($id: ID!) { live { site(id: $id) { id city } } }';
const nested = `query ($id: ID!, $conversation: ID!) {
  site(id: $id) { id city clients { name } primaryProject { name } }
  conversationContext(id: $conversation) { id subject sites { address site { id city } } }
  health { reachable }
}`;

function post(query: string, n: number, key: string, accept = json.accept): Request {
  const conversation = `00000000-0000-4000-8000-${(n % 0xffffffff).toString(16).padStart(12, '0')}`;
  const body = JSON.stringify({ query, variables: { id: `SITE-${n}`, conversation } });
  return { method: 'POST', path: '/graphql', headers: { ...json, accept, 'x-api-key': key }, body };
}

/** Sites and keys that repeat, and such that occur once. */
const repeated = (n: number) => ({ site: n % 40, key: `key-of-few-${n % 8}` });
const unique = (n: number) => ({ site: n, key: `key-of-many-${n}` });

/** A failed REST call is an error in a 200 response; 403 and 429 where all calls failed so. */
const executed = [200, 403, 429];

const kinds: RequestKind[] = [
  { request: (n) => post(plain, repeated(n).site, repeated(n).key), statuses: executed },
  { request: (n) => post(plain, unique(n).site, unique(n).key), statuses: executed },
  { request: (n) => post(nested, repeated(n).site, repeated(n).key), statuses: executed },
  { request: (n) => post(nested, unique(n).site, unique(n).key), statuses: executed, abortsWithinMs: 10 },
  { request: (n) => post(incremental, unique(n).site, unique(n).key, 'multipart/mixed'), statuses: executed },
  {
    request: (n) => post(incremental, unique(n).site, unique(n).key, 'multipart/mixed'),
    statuses: executed,
    abortsWithinMs: 10,
  },
  {
    request: (n) => post(live, repeated(n).site, repeated(n).key, 'text/event-stream'),
    statuses: executed,
    abortsWithinMs: 400,
  },
  {
    request: (n) => ({ ...post(plain, repeated(n).site, repeated(n).key), reset: true }),
    statuses: executed,
  },
  {
    request: (n) => post(`{ nothing${n % 50} }`, n, repeated(n).key, 'application/graphql-response+json'),
    statuses: [422],
  },
  { request: (n) => ({ ...post(plain, n, repeated(n).key), body: '{"query":' }), statuses: [400] },
  { request: (n) => ({ ...post(plain, n, 'x'), headers: json }), statuses: [403] },
  { request: () => ({ method: 'GET', path: '/graphql', headers: { accept: 'text/html' } }), statuses: [200] },
  { request: () => ({ method: 'GET', path: '/elsewhere', reset: true }), statuses: [404] },
  { request: () => ({ method: 'PUT', path: '/graphql', headers: json, body: '{}' }), statuses: [405] },
];

interface Tally {
  responses: Record<number, number>;
  aborted: number;
  faults: string[];
}

/** Sends requests of all kinds until `end` aborts, and closes all connections. */
async function runClients(url: string, end: AbortSignal): Promise<Tally> {
  const pool = new Pool(new URL(url).origin, { connections: AT_ONCE });
  const tally: Tally = { responses: {}, aborted: 0, faults: [] };
  let next = 0;
  const client = async () => {
    while (!end.aborted) {
      const n = next++;
      const kind = kinds[n % kinds.length];
      if (kind) await send(pool, kind, n, tally);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await pool.close();
  return tally;
}

async function send(pool: Pool, { request, statuses, abortsWithinMs }: RequestKind, n: number, tally: Tally) {
  const client = new AbortController();
  const timer = abortsWithinMs && setTimeout(() => client.abort(), Math.random() * abortsWithinMs);
  try {
    const { statusCode, body } = await pool.request({ ...request(n), signal: client.signal });
    await body.dump({ limit: 100_000_000 });
    tally.responses[statusCode] = (tally.responses[statusCode] ?? 0) + 1;
    if (!statuses.includes(statusCode)) tally.faults.push(`${statusCode} to kind ${n % kinds.length}`);
  } catch (error) {
    if (client.signal.aborted) tally.aborted += 1;
    else tally.faults.push(`${String(error)} to kind ${n % kinds.length}`);
  } finally {
    clearTimeout(timer);
  }
}

it(`grows neither in memory nor in sockets during ${seconds} seconds of load`, { timeout }, async () => {
  const upstream = await startFlakyUpstream({ retryAfter: '1' });
  const { options, warnings } = memoryOptions(settings);
  const gateway = await startGatewayProcess(upstream.url, options);
  const atStart = await gateway.read('memory');
  const isAsAtStart = (reading: Memory) => isIdle(reading) && reading.sockets <= atStart.sockets;
  // Loads what is loaded on first use, and fills what keeps a bounded number of keys and documents.
  await runClients(gateway.url, AbortSignal.timeout(seconds * 200));
  const before = await untilIdle(gateway, isAsAtStart);

  let isRunning = true;
  const running = runClients(gateway.url, AbortSignal.timeout(seconds * 1000)).finally(() => {
    isRunning = false;
  });
  const readings: Memory[] = [];
  while (isRunning) {
    readings.push(await gateway.read('memory'));
    await pause((seconds * 1000) / SAMPLES);
  }
  const { responses, aborted, faults } = await running;
  const after = await untilIdle(gateway, isAsAtStart);
  const heap = growth(readings.map(({ heapBytes }) => heapBytes));
  const sockets = growth(readings.map((reading) => reading.sockets));
  if (seconds > 60) console.log({ seconds, responses, aborted, heap, sockets, before, after });

  expect(faults).toEqual([]);
  for (const status of [200, 400, 403, 404, 405, 422, 429]) expect(responses[status]).toBeGreaterThan(0);
  expect(aborted).toBeGreaterThan(0);
  expect(upstream.cancelledCount()).toBeGreaterThan(0);
  expect(heap).toBeLessThan(MAX_GROWTH_BYTES);
  expect(sockets).toBeLessThan(MAX_GROWTH_SOCKETS);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MAX_GROWTH_BYTES);
  expect(isAsAtStart(after), JSON.stringify(after)).toBe(true);
  expect(after.resources).toEqual(before.resources);
  expect(after.listeners).toBe(before.listeners);
  await gateway.stop();
  // No error of the gateway, and no warning of Node about listeners that accumulate.
  expect(warnings).toEqual([]);
});
