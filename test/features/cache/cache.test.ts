import type { ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { type CacheEntry, createStore, ttlOf } from '../../../src/features/cache/store.ts';
import { apiKeyOf, type UpstreamCall } from '../../../src/rest/caller.ts';
import { UpstreamError, UpstreamUnavailable } from '../../../src/rest/errors.ts';
import type { Relation } from '../../../src/rest/resources.ts';
import { startClient } from '../../support/client.ts';
import { apiKey } from '../../support/gateway.ts';
import {
  bareSite,
  conversation,
  type Script,
  sendJson,
  siteFromPath,
  startUpstream,
} from '../../support/upstream.ts';

function entryOf(body: string | number, { freshMs = 60_000, staleMs = 0, ageMs = 0 } = {}): CacheEntry {
  return {
    body: typeof body === 'number' ? Buffer.alloc(body) : Buffer.from(body),
    storedAtMs: Date.now() - ageMs,
    ttl: { freshMs, staleMs },
  };
}

it('returns the first fresh entry, or the first stale one where none is fresh', async () => {
  const cache = createStore(10_000);
  const key = apiKeyOf('key');
  const found = async (...paths: string[]) => String((await cache.get(key, paths))?.body);
  const stale = { freshMs: 10, staleMs: 60_000, ageMs: 20 };
  cache.set(key, '/stale', entryOf('stale', stale));
  cache.set(key, '/staler', entryOf('staler', stale));
  cache.set(key, '/fresh', entryOf('fresh'));
  cache.set(key, '/fresher', entryOf('fresher'));
  cache.set(key, '/over', entryOf('over', { freshMs: 10, staleMs: 10, ageMs: 20 }));
  expect(await found('/none', '/stale', '/fresh', '/fresher')).toBe('fresh');
  expect(await found('/over', '/stale', '/staler')).toBe('stale');
  expect(await found('/over', '/none')).toBe('undefined');
});

it('stays within its size: the least recently used entries go first, and a too large one is not stored', async () => {
  const cache = createStore(10_000);
  const key = apiKeyOf('key');
  const isStored = async (...paths: string[]) =>
    Promise.all(paths.map(async (path) => (await cache.get(key, [path])) !== undefined));
  for (const path of ['/1', '/2', '/3']) cache.set(key, path, entryOf(2_500));
  await cache.get(key, ['/1']);
  cache.set(key, '/4', entryOf(2_500));
  expect(await isStored('/1', '/2', '/3', '/4')).toEqual([true, false, true, true]);
  cache.set(key, '/5', entryOf(10_000));
  expect(await isStored('/1', '/3', '/4', '/5')).toEqual([true, true, true, false]);
  for (let n = 0; n < 1_000; n += 1) cache.set(key, `/small/${n}`, entryOf(1));
  const small = await isStored(...Array.from({ length: 1_000 }, (_, n) => `/small/${n}`));
  expect(small.filter(Boolean).length).toBeLessThan(34);
});

it('stores a copy of the body, not the larger block that it is a slice of', async () => {
  const cache = createStore(10_000);
  const key = apiKeyOf('key');
  const block = Buffer.alloc(8_192, 'x');
  const ttl = { freshMs: 60_000, staleMs: 0 };
  cache.set(key, '/a', { body: block.subarray(100, 110), storedAtMs: Date.now(), ttl });
  const entry = await cache.get(key, ['/a']);
  expect(entry?.body.toString()).toBe('x'.repeat(10));
  expect(entry?.body.buffer.byteLength).toBe(10);
});

/** An upstream that numbers its responses, a client, and what was reported to its callers. */
async function start(env: NodeJS.ProcessEnv, script?: Script) {
  const upstream = await startUpstream(
    script ??
      ((req, res) => {
        const { id, include } = siteFromPath(req.url ?? '');
        const relations = include.map((relation) => [relation, [{ id: relation }]]);
        const city = `${req.headers['x-api-key']} ${upstream.requests.length}`;
        sendJson(res, { ...bareSite(id), city, ...Object.fromEntries(relations) });
      }),
  );
  const { getSite, getConversationContext, getHealth, callerOf } = startClient(upstream.url, env);
  const reported: UpstreamCall[] = [];
  const reporting = (key = apiKey) => ({
    ...callerOf(key),
    report: (call: UpstreamCall) => reported.push(call),
  });
  return {
    upstream,
    reported: reported,
    sources: () => reported.map(({ source }) => source),
    get: (include: readonly Relation[] = [], key?: string, id = 'SITE-1') =>
      getSite(reporting(key), id, include),
    getConversation: () => getConversationContext(reporting(), conversation),
    getHealth: () => getHealth(reporting()),
  };
}

const caching = { CACHE_TTL_MS: '60000' };

it('stores nothing by default', async () => {
  const { upstream, get, sources } = await start({});
  expect(await get()).toMatchObject({ city: `${apiKey} 1` });
  expect(await get()).toMatchObject({ city: `${apiKey} 2` });
  expect(upstream.requests).toHaveLength(2);
  expect(sources()).toEqual(['network', 'network']);
});

it('serves a stored response to the same key, and to no other', async () => {
  const { upstream, get, reported, sources } = await start(caching);
  for (const key of ['key-1', 'key-2', 'key-1', 'key-2', 'key-']) await get([], key);
  expect(upstream.requests.map(({ apiKey }) => apiKey)).toEqual(['key-1', 'key-2', 'key-']);
  expect(sources()).toEqual(['network', 'network', 'cache', 'cache', 'network']);
  expect(reported[2]).toMatchObject({ path: '/v1/site/SITE-1', status: 200, ageMs: expect.any(Number) });
  expect(await get([], 'key-2')).toMatchObject({ city: 'key-2 2' });
});

it.each<[readonly Relation[], readonly Relation[], calls: number]>([
  [['clients', 'projects'], [], 1],
  [['clients', 'projects'], ['clients'], 1],
  [['clients'], [], 1],
  [[], ['clients'], 2],
  [['clients'], ['projects'], 2],
  [['clients'], ['clients', 'projects'], 2],
])(
  'makes after a response with %j for a request for %j so many calls in all: %i',
  async (first, second, calls) => {
    const { upstream, get, sources } = await start(caching);
    await get(first);
    const site = await get(second);
    expect(upstream.requests).toHaveLength(calls);
    expect(sources()).toEqual(['network', calls === 1 ? 'cache' : 'network']);
    expect(site).toMatchObject({ id: 'SITE-1', city: `${apiKey} ${calls}` });
    for (const relation of second) expect(site?.[relation]).toMatchObject([{ id: relation }]);
  },
);

it('stores conversations, and never the health', async () => {
  const { upstream, getConversation, getHealth } = await start(caching, (_, res) => sendJson(res, {}));
  for (let n = 0; n < 2; n += 1) await Promise.all([getConversation(), getHealth()]);
  const paths = upstream.paths().sort();
  expect(paths).toEqual([`/v1/conversation/${conversation}/context`, '/v1/health', '/v1/health']);
});

it.each<[string, Script]>([
  ['404', (_, res) => sendJson(res, {}, 404)],
  ['another site', (_, res) => sendJson(res, bareSite('SITE-2'))],
  ['no JSON', (_, res) => res.end('<html>')],
  [
    'a response with no-store',
    (_, res) => sendJson(res, bareSite('SITE-1'), 200, { 'cache-control': 'no-store' }),
  ],
])('does not store %s', async (_, script) => {
  const { upstream, get } = await start(caching, script);
  for (let n = 0; n < 2; n += 1) await get().catch((error) => expect(error).toBeInstanceOf(UpstreamError));
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1']);
});

it('makes a call again when the TTL is over', async () => {
  const { upstream, get } = await start({ CACHE_TTL_MS: '50' });
  const first = performance.now();
  await get();
  await vi.waitFor(async () => expect(await get()).toMatchObject({ city: `${apiKey} 2` }), 10_000);
  expect(performance.now() - first).toBeGreaterThanOrEqual(49);
  expect(upstream.requests).toHaveLength(2);
});

const withClients = { ...bareSite('SITE-1'), clients: [] };

/** A client whose cached responses are served in place of failures only, and a scripted upstream. */
async function startStale() {
  const state: { respond(res: ServerResponse): unknown } = { respond: (res) => sendJson(res, withClients) };
  const upstream = await startUpstream((_, res) => state.respond(res));
  const { getSite, callerOf } = startClient(upstream.url, {
    CACHE_STALE_IF_ERROR_MS: '60000',
    retryPercent: 0,
  });
  return { state, get: (include: readonly 'clients'[] = []) => getSite(callerOf(apiKey), 'SITE-1', include) };
}

const failing = (res: ServerResponse) => sendJson(res, {}, 500);

it.each([401, 403, 404, 410])('serves no stale response after a %i for the same resource', async (status) => {
  const { state, get } = await startStale();
  await get();
  await get(['clients']);
  state.respond = (res) => sendJson(res, {}, status);
  await get(['clients']).catch(() => {});
  state.respond = failing;
  await expect(get()).rejects.toBeInstanceOf(UpstreamUnavailable);
  await expect(get(['clients'])).rejects.toBeInstanceOf(UpstreamUnavailable);
});

it('serves no stale response after a newer one that must not be stored', async () => {
  const { state, get } = await startStale();
  await get();
  state.respond = (res) => sendJson(res, withClients, 200, { 'cache-control': 'no-store' });
  await get();
  state.respond = failing;
  await expect(get()).rejects.toBeInstanceOf(UpstreamUnavailable);
});

const configured = { freshMs: 60_000, staleMs: 600_000 };

type Repeated = Record<string, string | string[] | undefined>;
const given = (cacheControl?: string | string[], status = 200) =>
  ttlOf({ status, headers: { 'cache-control': cacheControl } as Repeated }, configured);
const freshFor = (seconds: number) => ({ ...configured, freshMs: seconds * 1000 });

it.each<[field: string | string[] | undefined, ttl: object | null]>([
  [undefined, configured],
  ['max-age=99999999999999999999', configured],
  ['s-maxage=1', configured],
  ['no-store', null],
  ['NO-CACHE', null],
  ['no-cache="set-cookie"', null],
  [['max-age=60', 'no-store'], null],
  ['max-age=10', freshFor(10)],
  ['Max-Age="10"', freshFor(10)],
  ['s-maxage=50, max-age=10', freshFor(10)],
  ['max-age=x', freshFor(0)],
  ['must-revalidate', { freshMs: 60_000, staleMs: 0 }],
])('lets a response with %j be served again for %j', (field, ttl) => {
  expect(given(field)).toEqual(ttl);
});

it.each([201, 304, 404, 503])('stores no %i, whatever its Cache-Control', (status) => {
  expect(given('max-age=60', status)).toBeNull();
});
