import { expect, it, vi } from 'vitest';
import { apiKey, postQuery, startGateway } from '../../support/gateway.ts';
import { openLive } from '../../support/live.ts';
import { freshRedisUrl, readRedis, redisIsReachable } from '../../support/redis.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const live = 'subscription { live(every: 1) { site(id: "SITE-1") { city } } }';
const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1' };

it.skipIf(!(await redisIsReachable()))('15: gateways with one CACHE_URL share polls, encrypted', async () => {
  const state = { city: 'Bend' };
  const upstream = await startUpstream((req, res) =>
    sendJson(res, { ...bareSite(siteFromPath(req.url ?? '').id), city: state.city }),
  );
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
  state.city = 'Salem';
  for (const stream of streams) expect(JSON.stringify((await stream.received(2)).at(-1))).toContain('Salem');
  const stored = await readRedis(env.CACHE_URL);
  expect(stored).toContain('portico:');
  expect(stored).not.toMatch(new RegExp(`Salem|${apiKey}|SITE-1`));
  expect(first?.lines).toEqual([]);
});
