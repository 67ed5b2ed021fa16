import { expect, it, onTestFinished, vi } from 'vitest';
import { createKeyAdmin } from '../../reference/keys/admin.ts';
import { startReference as openReference } from '../../reference/server.ts';
import { engines, openDatabase } from '../reference/support/database.ts';
import { apiKey, postQuery, startGateway } from '../support/gateway.ts';
import { openLive } from '../support/live.ts';
import { freshRedisUrl, readRedis, redisIsReachable } from '../support/redis.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

const live = 'subscription { live(every: 1) { site(id: "SITE-1") { city } } }';
const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1' };

it('ends a hundred streams with the next call of each site when their key is revoked in the reference', async () => {
  const [sqlite] = engines;
  const databaseUrl = await sqlite.freshUrl();
  const paths: string[] = [];
  const reference = await openReference({
    databaseUrl,
    environment: 'test',
    siteIdPrefix: 'SITE',
    host: '127.0.0.1',
    port: 0,
    onRequest: ({ path }) => paths.push(path),
  });
  onTestFinished(() => reference.close());
  const gateway = await startGateway(reference.url, settings);
  const key = 'demo-acme-key-000000000000';
  const text = 'subscription ($id: ID!) { live { site(id: $id) { city clients { name } } } }';
  const streams = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      openLive(gateway.url, text, { key, variables: { id: `SITE-100${1 + (n % 4)}` } }),
    ),
  );
  await Promise.all(streams.map((stream) => stream.received(1)));
  // On a busy machine some are polled again by now.
  expect(paths.length).toBeLessThan(streams.length / 2);
  const admin = createKeyAdmin(await openDatabase(databaseUrl));
  await admin.revoke(key.slice(0, 8));
  const callsBefore = paths.length;
  expect(new Set(await Promise.all(streams.map(({ ended }) => ended)))).toEqual(new Set(['ended']));
  // One of each site that was in progress, and one that fails, with and without the relation.
  expect(paths.length - callsBefore).toBeLessThanOrEqual(4 * 3);
  for (const { events } of streams) {
    expect(events).toMatchObject([
      { data: { live: { site: { clients: expect.any(Array) } } } },
      { data: { live: { site: null } }, errors: [{ extensions: { code: 'FORBIDDEN' } }] },
      'complete',
    ]);
  }
});

/** A REST API with one city that the test changes. */
async function startCity() {
  const state = { city: 'Bend' };
  const upstream = await startUpstream((req, res) =>
    sendJson(res, { ...bareSite(siteFromPath(req.url ?? '').id), city: state.city }),
  );
  return { ...upstream, state };
}

it.skipIf(!(await redisIsReachable()))('15: gateways with one CACHE_URL share polls, encrypted', async () => {
  const upstream = await startCity();
  const env = { ...settings, CACHE_URL: freshRedisUrl() };
  const gateways = await Promise.all([1, 2, 3].map(() => startGateway(upstream.url, env)));
  const [first] = gateways;
  const streams: Awaited<ReturnType<typeof openLive>>[] = [];
  for (const { url } of gateways) {
    // Connects to Redis, which is done with the first use.
    await vi.waitFor(async () => {
      await postQuery(url, '{ __typename }');
      const stream = await openLive(url, live);
      await stream.received(1);
      streams.push(stream);
    });
  }
  // One gateway's calls, not three times as many, once the last one is connected.
  const secondsOfCalls = async (count: number) => {
    const startedAtMs = performance.now();
    await upstream.received(upstream.requests.length + count);
    return (performance.now() - startedAtMs) / 1000;
  };
  await vi.waitFor(async () => expect(5 / (await secondsOfCalls(5))).toBeLessThan(2), 20_000);
  upstream.state.city = 'Salem';
  for (const stream of streams) expect(JSON.stringify((await stream.received(2)).at(-1))).toContain('Salem');
  const stored = await readRedis(env.CACHE_URL);
  expect(stored).toContain('portico:');
  expect(stored).not.toMatch(new RegExp(`Salem|${apiKey}|SITE-1`));
  expect(first?.lines).toEqual([]);
});
