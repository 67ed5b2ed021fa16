import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedisConnection } from '../../../src/features/redis/connection.ts';
import { createSealedStore } from '../../../src/features/redis/sealed-store.ts';
import { UpstreamRequest } from '../../../src/rest/call.ts';
import { SiteTarget } from '../../../src/rest/targets.ts';
import { apiKey } from '../../support/gateway.ts';
import { freshRedisUrl, redisIsReachable } from '../../support/redis.ts';
import { isShared, startSharing, startSites } from './support.ts';

const isReachable = await redisIsReachable();
const cached = { CACHE_TTL_MS: '60000' };
/** One that is in no cache. */
const newSite = () => `SITE-${Math.random()}`;
const otherKey = 'another-key-0123456789';

/** Two gateways that share what they have, connected. */
async function startTwo(env: NodeJS.ProcessEnv = cached, database = 0, retryAfter = '60') {
  const upstream = await startSites(retryAfter);
  const url = freshRedisUrl(undefined, database);
  const [one, two] = [startSharing(upstream.url, url, env), startSharing(upstream.url, url, env)];
  if (env.CACHE_TTL_MS) await expect.poll(() => isShared(one, two)).toBe(true);
  return { upstream, url, one, two };
}

/** The value of each key under the prefix, and its time to live. */
async function entriesIn(url: string) {
  const { searchParams, pathname } = new URL(url);
  const redis = new Redis(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379', {
    db: Number(pathname.slice(1)),
  });
  onTestFinished(() => redis.disconnect());
  const names = await redis.keys(`${searchParams.get('keyPrefix')}*`);
  return Promise.all(names.map(async (name) => ({ name, leftMs: await redis.pttl(name) })));
}

describe.skipIf(!isReachable)('responses that gateways share through Redis', () => {
  it.each([0, 1])('are fetched by one of them: database %d', async (database) => {
    const { upstream, url, one, two } = await startTwo(cached, database);
    const { outcome } = await one.get('SITE-1');
    const before = upstream.requests.length;
    await expect.poll(() => two.get('SITE-1')).toEqual({ outcome, source: 'cache', retryAfter: undefined });
    expect(await two.get('SITE-1', otherKey)).toMatchObject({ source: 'network' });
    expect(upstream.requests.slice(before).map(({ apiKey }) => apiKey)).toContain(otherKey);
    expect([...one.faults, ...two.faults]).toEqual([]);
    for (const { leftMs } of await entriesIn(url)) {
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(60_000);
    }
  });

  it('are asked of Redis once: after that they are in memory', async () => {
    const { url, one, two } = await startTwo();
    const { outcome } = await one.get('SITE-1');
    await expect.poll(async () => (await two.get('SITE-1')).source).toBe('cache');
    two.close();
    expect(await two.get('SITE-1')).toMatchObject({ outcome, source: 'cache' });
    expect(await entriesIn(url)).not.toEqual([]);
  });

  it('are deleted for all when one meets a 404', async () => {
    const { upstream, url, one } = await startTwo();
    await one.get('SITE-1');
    await expect.poll(async () => (await one.get(newSite())).source).toBe('network');
    upstream.missing.add('SITE-1');
    const request = new UpstreamRequest(one.caller, new SiteTarget('SITE-1', []));
    request.isPoll = true;
    expect(await one.request(request)).toMatchObject({ status: 404 });
    const late = startSharing(upstream.url, url, cached);
    await expect.poll(() => isShared(one, late)).toBe(true);
    expect(await late.get('SITE-1')).toMatchObject({ outcome: null, source: 'network' });
  });

  it.each<[string, number, NodeJS.ProcessEnv]>([
    ['that are over', 61_000, cached],
    ['of gateways that keep them for another time', 0, { CACHE_TTL_MS: '59999' }],
  ])('are fetched again: those %s', async (_, ageMs, env) => {
    const { upstream, url, one, two } = await startTwo();
    const connection = createRedisConnection(url, () => {});
    onTestFinished(() => connection.close());
    await expect.poll(() => connection.run((redis) => redis.info())).toBeDefined();
    const store = createSealedStore(connection, '60000 0 http://127.0.0.1:9/');
    const put = (path: string, storedAtMs: number) => {
      const ttl = { freshMs: 60_000, staleMs: 0 };
      store.set(one.caller.key, path, {
        body: Buffer.from(JSON.stringify({ id: path.slice(9) })),
        storedAtMs,
        ttl,
      });
    };
    put('/v1/site/SITE-1', Date.now() - ageMs);
    put('/v1/site/SITE-0', Date.now());
    await expect.poll(() => store.get(one.caller.key, ['/v1/site/SITE-0'])).not.toEqual([undefined]);
    expect(await two.get('SITE-0')).toMatchObject({ source: 'cache' });
    const other = startSharing(upstream.url, url, env);
    await expect.poll(async () => (await other.get('SITE-2')).source).toBe('cache');
    expect(await other.get('SITE-1')).toMatchObject({ source: 'network' });
  });
});

describe.skipIf(!isReachable)('the gate of a key that gateways share through Redis', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['with a cache', cached],
    ['without a cache', {}],
  ])('closes in all when one meets a 429, for that key alone: %s', async (_, env) => {
    const { upstream, one, two } = await startTwo(env);
    let key = apiKey;
    // A key whose 429 comes before there is a connection to Redis is not shared.
    await expect
      .poll(async () => {
        key = `key-of-${Math.random()}`;
        await one.get('SITE-429', key);
        return (await two.get(newSite(), key)).source;
      })
      .toBe('rate-limited');
    const { outcome, retryAfter } = await two.get(newSite(), key);
    expect(outcome).toMatchObject({ name: 'UpstreamRateLimited' });
    expect(retryAfter).toBeGreaterThan(30);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await two.get('SITE-2', otherKey)).toMatchObject({ source: 'network' });
    const before = upstream.requests.length;
    expect(await one.get(newSite(), key)).toMatchObject({ source: 'rate-limited' });
    expect(upstream.requests).toHaveLength(before);
  });

  it('opens when its time is over', async () => {
    const { one, two } = await startTwo(cached, 0, '1');
    await one.get('SITE-429');
    await expect.poll(async () => (await two.get(newSite())).source).toBe('rate-limited');
    await expect.poll(async () => (await two.get(newSite())).source).toBe('network');
  });
});
