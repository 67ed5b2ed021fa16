import { hash, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCacheStore } from '../../../src/features/redis/cache-store.ts';
import { createRedisConnection } from '../../../src/features/redis/connection.ts';
import { createCaller } from '../../../src/operation/caller.ts';
import type { UpstreamCall } from '../../../src/upstream/caller.ts';
import { createDisconnect, startClient } from '../../support/client.ts';
import { apiKey } from '../../support/gateway.ts';
import { freshRedisUrl, redisIsReachable } from '../../support/redis.ts';
import { startRelay } from '../../support/relay.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const isReachable = await redisIsReachable();
const target = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
const secret = 'the city of this site';

/** An upstream that numbers its responses, and responds 404 once `isEmpty`. */
async function startSites() {
  const state = { isEmpty: false };
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    if (state.isEmpty) sendJson(res, {}, 404);
    else sendJson(res, { ...bareSite(id), city: `${secret} ${upstream.requests.length}` });
  });
  return { upstream, state };
}

/** A client with a cache in Redis. */
function startSharing(upstreamUrl: string, cacheUrl: string, env: NodeJS.ProcessEnv = {}) {
  const client = startClient(upstreamUrl, {
    CACHE_TTL_MS: '60000',
    CACHE_URL: cacheUrl,
    retryPercent: 0,
    ...env,
  });
  /** The site, and the source of the response. */
  const get = async (id = 'SITE-1', key = apiKey) => {
    const reported: UpstreamCall['source'][] = [];
    const site = await client.getSite(
      { ...client.callerOf(key), report: ({ source }) => reported.push(source) },
      id,
      [],
    );
    return { site, source: reported.join() };
  };
  /**
   * Requests the site until it comes from the cache: the client connects with the first request, and stores
   * in the background.
   */
  const recalled = async (id = 'SITE-1', key = apiKey) => {
    for (;;) {
      const { site, source } = await get(id, key);
      if (source === 'cache') return site;
    }
  };
  return { ...client, get, recalled };
}

/** A connection of the test's own, beside the cache. */
function openRedis(): Redis {
  const redis = new Redis(target.href);
  onTestFinished(() => redis.disconnect());
  return redis;
}

const namesIn = (redis: Redis, cacheUrl: string) =>
  redis.keys(`${new URL(cacheUrl).searchParams.get('keyPrefix')}*`);

describe.skipIf(!isReachable)('responses in Redis or Valkey', () => {
  it.each([0, 1])('are served by every gateway that uses it: database %d', async (database) => {
    const { upstream, state } = await startSites();
    const url = freshRedisUrl(target.href, database);
    const [one, two] = [startSharing(upstream.url, url), startSharing(upstream.url, url)];
    const cached = await one.recalled();
    // Connects.
    await two.recalled('SITE-2');
    state.isEmpty = true;
    expect(cached?.city).toContain(secret);
    // It has not fetched that itself.
    expect(await two.get()).toEqual({ site: cached, source: 'cache' });
    expect([...one.faults, ...two.faults]).toEqual([]);
  });

  it.each<[string, NodeJS.ProcessEnv, UpstreamCall['source']]>([
    ['served under the same settings', { CACHE_TTL_MS: '60000' }, 'cache'],
    ['fetched again where they come from the future', { CACHE_TTL_MS: '60000', age: '-30000' }, 'network'],
    [
      'served where they come from a clock that differs little',
      { CACHE_TTL_MS: '60000', age: '-500' },
      'cache',
    ],
    ['fetched again under a CACHE_TTL_MS that is over', { CACHE_TTL_MS: '5000' }, 'network'],
    [
      'served under a longer CACHE_TTL_MS no longer than they were stored for',
      { CACHE_TTL_MS: '120000', age: '61000' },
      'network',
    ],
    [
      'served in an outage under settings that still allow it',
      { CACHE_TTL_MS: '5000', CACHE_STALE_IF_ERROR_MS: '60000', status: '500' },
      'stale',
    ],
    [
      'not served in an outage under a CACHE_STALE_IF_ERROR_MS that is over',
      { CACHE_TTL_MS: '5000', CACHE_STALE_IF_ERROR_MS: '1000', status: '500' },
      'network',
    ],
  ])('are %s', async (_, { age = '10000', status = '200', ...env }, source) => {
    const upstream = await startUpstream((req, res) => {
      const { id } = siteFromPath(req.url ?? '');
      sendJson(res, bareSite(id), id === 'SITE-1' ? Number(status) : 200);
    });
    const url = freshRedisUrl();
    const ttl = { freshMs: 60_000, staleMs: 60_000 };
    const { get, recalled, caller } = startSharing(upstream.url, url, env);
    // Connects.
    await recalled('SITE-2');
    const connection = createRedisConnection(url, () => {});
    onTestFinished(() => connection.close());
    const ping = () => connection.run((redis) => redis.ping());
    await vi.waitFor(async () => expect(await ping()).toBe('PONG'), 10_000);
    const shared = createCacheStore(connection, ttl);
    const [path, body] = ['/v1/site/SITE-1', Buffer.from(JSON.stringify(bareSite('SITE-1')))];
    shared.set(caller, path, { body, storedAtMs: Date.now() - Number(age), ttl });
    // Redis executes the commands of a connection in turn, so that the entry is there by then.
    expect(await ping()).toBe('PONG');
    const had = await get().catch((error: unknown) => error);
    if (source === 'network') {
      expect(upstream.paths()).toContain(path);
      expect(had).toEqual(
        status === '200' ? { site: expect.objectContaining({ id: 'SITE-1' }), source } : expect.any(Error),
      );
    } else {
      expect(had).toMatchObject({ site: { id: 'SITE-1' }, source: expect.stringContaining(source) });
    }
  });

  it('reveal to a reader of Redis neither keys nor data nor paths', async () => {
    const { upstream } = await startSites();
    const url = freshRedisUrl();
    const { recalled } = startSharing(upstream.url, url);
    await recalled();
    await recalled('SITE-2', 'another-key-0123456789');
    const redis = openRedis();
    const names = await namesIn(redis, url);
    expect(names).toHaveLength(2);
    const values = await redis.mgetBuffer(...names);
    const held = Buffer.concat([
      ...names.map((name) => Buffer.from(name)),
      ...values.map((v) => v ?? Buffer.of()),
    ]);
    for (const key of [apiKey, 'another-key-0123456789']) {
      for (let start = 0; start + 9 <= key.length; start += 1) {
        expect(held.includes(key.slice(start, start + 9))).toBe(false);
      }
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        expect(held.includes(Buffer.from(key).toString(encoding).slice(0, 12))).toBe(false);
        expect(held.includes(hash('sha256', key, encoding).slice(0, 12))).toBe(false);
      }
      expect(held.includes(hash('sha256', key, 'buffer'))).toBe(false);
    }
    for (const word of ['SITE-', '/v1/', 'site', 'city', secret]) expect(held.includes(word)).toBe(false);
  });

  it('expire in Redis', async () => {
    const { upstream } = await startSites();
    const url = freshRedisUrl();
    await startSharing(upstream.url, url).recalled();
    const redis = openRedis();
    const [name = ''] = await namesIn(redis, url);
    const leftMs = await redis.pttl(name);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(60_000);
  });

  it.each<[string, (redis: Redis, name: string, value: Buffer) => Promise<unknown>]>([
    [
      'changed',
      (redis, name, value) =>
        redis.set(name, Buffer.from(value.map((byte, n) => (n === 40 ? byte ^ 1 : byte)))),
    ],
    ['emptied', (redis, name) => redis.set(name, '')],
    ['made a list', (redis, name) => redis.multi().del(name).lpush(name, 'x').exec()],
    ['removed', (redis, name) => redis.del(name)],
  ])('are fetched again where one was %s', async (_, tamper) => {
    const { upstream } = await startSites();
    const url = freshRedisUrl();
    const { get, recalled } = startSharing(upstream.url, url);
    await recalled('SITE-1');
    const redis = openRedis();
    const [name = ''] = await namesIn(redis, url);
    await tamper(redis, name, (await redis.getBuffer(name)) ?? Buffer.of());
    const before = upstream.requests.length;
    expect(await get('SITE-1')).toMatchObject({ site: { id: 'SITE-1' }, source: 'network' });
    expect(upstream.paths().slice(before)).toEqual(['/v1/site/SITE-1']);
    expect(await recalled('SITE-1')).toMatchObject({ city: `${secret} ${before + 1}` });
  });

  it('are fetched while Redis is down, which is logged once, and served from it again after', async () => {
    const { upstream } = await startSites();
    const relay = await startRelay(target);
    const { get, recalled, faults } = startSharing(upstream.url, freshRedisUrl(relay.url));
    for (let losses = 0; losses < 2; losses += 1) {
      await recalled();
      const before = faults.length;
      await relay.cut();
      for (let n = 0; n < 20; n += 1) {
        expect(await get()).toMatchObject({ site: { id: 'SITE-1' }, source: 'network' });
      }
      expect(faults).toHaveLength(before + 1);
      await relay.mend();
    }
    await recalled();
    expect(faults[0]).toBe('CACHE_URL is unreachable: responses and rate limits are not shared');
  });

  it('are fetched where Redis rejects writes, which is logged once', async () => {
    const { upstream } = await startSites();
    const redis = openRedis();
    const reader = new URL(freshRedisUrl());
    reader.username = `reader-${randomUUID()}`;
    reader.password = 'reader-password';
    await redis.acl('SETUSER', reader.username, 'on', `>${reader.password}`, '~*', '+@all', '-set');
    onTestFinished(async () => {
      const cleaner = new Redis(target.href);
      await cleaner.acl('DELUSER', reader.username);
      cleaner.disconnect();
    });
    const { get, faults } = startSharing(upstream.url, reader.href);
    while (faults.length === 0) expect(await get()).toMatchObject({ source: 'network' });
    for (let n = 0; n < 20; n += 1) expect(await get()).toMatchObject({ source: 'network' });
    expect(faults).toEqual(['CACHE_URL rejects commands: not everything is shared']);
  });

  it('are not waited for while Redis does not respond', async () => {
    const { upstream } = await startSites();
    const relay = await startRelay(target);
    const { get, recalled, faults } = startSharing(upstream.url, freshRedisUrl(relay.url));
    await recalled();
    const before = faults.length;
    relay.silence();
    const started = performance.now();
    for (let n = 0; n < 200; n += 1) {
      expect(await get()).toMatchObject({ site: { id: 'SITE-1' }, source: 'network' });
    }
    // Had each call waited for the time limit of a command, it would be 20 seconds.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(faults).toHaveLength(before + 1);
  });
});

describe('responses in an unreachable Redis', () => {
  it('are fetched, with one log line, without the password', async () => {
    const { upstream } = await startSites();
    const { get, faults } = startSharing(upstream.url, 'redis://user:secret@127.0.0.1:1');
    while (faults.length === 0) expect(await get()).toMatchObject({ source: 'network' });
    for (let n = 0; n < 20; n += 1) expect(await get()).toMatchObject({ source: 'network' });
    expect(faults).toHaveLength(1);
    expect(String(faults)).not.toContain('secret');
  });

  it('are not looked up once the cache is closed', async () => {
    const faults: Error[] = [];
    const connection = createRedisConnection('redis://127.0.0.1:1', (fault) => faults.push(fault));
    const cache = createCacheStore(connection, { freshMs: 60_000, staleMs: 0 });
    const caller = createCaller(apiKey, createDisconnect().signal, 10_000);
    const finding = cache.get(caller, ['/a']);
    connection.close();
    expect(await finding).toBeUndefined();
    expect(await cache.get(caller, ['/a'])).toBeUndefined();
    expect(faults).toEqual([]);
  });
});
