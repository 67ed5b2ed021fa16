import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { UpstreamCall } from '../../../src/upstream/caller.ts';
import { tracesOf } from '../../support/canary.ts';
import { startClient } from '../../support/client.ts';
import { createGate } from '../../support/gate.ts';
import { apiKey } from '../../support/gateway.ts';
import {
  expireRedis,
  freshRedisUrl,
  readRedis,
  redisIsReachable,
  setRedisClockBack,
} from '../../support/redis.ts';
import { startRelay } from '../../support/relay.ts';
import { sendJson, sendSite, startUpstream } from '../../support/upstream.ts';

const isReachable = await redisIsReachable();
const target = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
const otherKey = 'another-key-0123456789';

/**
 * An upstream that responds 429 to `/v1/site/SITE-429` alone: a rejection of any other path comes from
 * another gateway.
 */
async function startLimited(retryAfter = '60') {
  const upstream = await startUpstream((req, res) => {
    if (req.url?.endsWith('SITE-429')) sendJson(res, {}, 429, { 'retry-after': retryAfter });
    else sendSite(req, res);
  });
  /** The client of one of several gateways. */
  return async (redisUrl: string, env: NodeJS.ProcessEnv = {}) => {
    const client = startClient(upstream.url, { ...env, CACHE_URL: redisUrl });
    await client.join();
    const get = async (id: string, key = apiKey) => {
      const reported: UpstreamCall[] = [];
      const caller = { ...client.callerOf(key), report: (call: UpstreamCall) => reported.push(call) };
      const isServed = await client.getSite(caller, id, []).then(
        () => true,
        () => false,
      );
      return { isServed, source: reported[0]?.source, retryAfter: reported[0]?.retryAfter };
    };
    return {
      ...client,
      get,
      spend: (key = apiKey) => get('SITE-429', key),
      /** Makes calls until the gate is closed. */
      async untilClosed(key = apiKey) {
        for (;;) {
          const response = await get('SITE-1', key);
          if (response.source === 'rate-limited') return response;
        }
      },
    };
  };
}

/** A connection of the test's own, beside the gates. */
function openRedis(): Redis {
  const redis = new Redis(target.href);
  onTestFinished(() => redis.disconnect());
  return redis;
}

const served = { isServed: true, source: 'network', retryAfter: undefined };

describe.skipIf(!isReachable)('a gate that gateways share', () => {
  it.each([0, 1])(
    'closes in all of them when it closes in one, for that key alone: database %d',
    async (database) => {
      const start = await startLimited();
      const url = freshRedisUrl(target.href, database);
      const [one, two] = [await start(url), await start(url)];
      await one.spend();
      const { retryAfter, isServed } = await two.untilClosed();
      expect(isServed).toBe(false);
      expect(retryAfter).toBeGreaterThan(50);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(await two.get('SITE-1', otherKey)).toEqual(served);
      expect(await one.get('SITE-1')).toMatchObject({ source: 'rate-limited' });
    },
  );

  it('is closed in a gateway that starts later, from its first call', async () => {
    const start = await startLimited();
    const url = freshRedisUrl();
    const [one, two] = [await start(url), await start(url)];
    await one.spend();
    await two.untilClosed();
    const late = await start(url);
    expect(await late.get('SITE-1')).toMatchObject({
      source: 'rate-limited',
      retryAfter: expect.any(Number),
    });
    expect(await late.get('SITE-1', otherKey)).toEqual(served);
  });

  it('opens when its time is over, and leaves nothing in Redis', async () => {
    const start = await startLimited('1');
    const url = freshRedisUrl();
    const [one, two] = [await start(url), await start(url)];
    await one.spend();
    expect((await two.untilClosed()).retryAfter).toBe(1);
    while (!(await two.get('SITE-1')).isServed);
    expect(await (await start(url)).get('SITE-1')).toEqual(served);
  });

  it('is closed no longer when the clock of Redis is set back', async () => {
    const start = await startLimited();
    const url = freshRedisUrl();
    const one = await start(url);
    await one.spend();
    await expect.poll(() => readRedis(url)).toContain('rate-limited');
    await setRedisClockBack(url, 1_800_000);
    const two = await start(url);
    expect(await two.get('SITE-1')).toEqual(served);
    // A new closure is one in all gateways.
    await two.spend();
    const { retryAfter } = await (await start(url)).untilClosed();
    expect(retryAfter).toBeLessThanOrEqual(60);
  });

  it('reveals to readers and subscribers of Redis neither keys nor their digests', async () => {
    const start = await startLimited();
    const url = freshRedisUrl();
    const prefix = new URL(url).searchParams.get('keyPrefix') ?? '';
    const listener = openRedis();
    const message = createGate<string>();
    await listener.psubscribe(`${prefix}*`);
    listener.on('pmessage', (_, channel, text) => message.open(`${channel} ${text}`));
    await (await start(url)).spend();
    const published = await message.promise;
    const held = JSON.stringify([
      published,
      await openRedis().zrange(`${prefix}portico:rate-limited`, 0, -1),
    ]);
    expect(published).toMatch(/portico:rate-limited@0 [\w-]{43} 60000$/);
    expect(held.match(/[\w-]{43}/g)).toHaveLength(2);
    for (const trace of tracesOf(apiKey)) expect(held).not.toContain(trace);
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      expect(held).not.toContain(hash('sha256', apiKey, encoding).slice(0, 12));
    }
  });

  it('publishes one message for many 429 at once', async () => {
    const start = await startLimited();
    const url = freshRedisUrl();
    const listener = openRedis();
    const messages: string[] = [];
    await listener.psubscribe(`${new URL(url).searchParams.get('keyPrefix')}*`);
    listener.on('pmessage', (_, __, message) => messages.push(message));
    const [one, two] = [await start(url), await start(url)];
    await Promise.all(Array.from({ length: 50 }, () => one.spend()));
    await one.spend(otherKey);
    // The messages about the first key have come before those about the second.
    await two.untilClosed(otherKey);
    expect(messages).toHaveLength(2);
  });

  it('ignores what other programs publish and write', async () => {
    const start = await startLimited();
    const url = freshRedisUrl();
    const prefix = new URL(url).searchParams.get('keyPrefix') ?? '';
    const redis = openRedis();
    await redis.set(`${prefix}portico:rate-limited`, 'no set');
    const [one, two] = [await start(url), await start(url)];
    expect(two.faults).toEqual(['CACHE_URL rejects commands: not everything is shared']);
    await redis.del(`${prefix}portico:rate-limited`);
    for (const noise of ['', 'x', `${'a'.repeat(43)} 9999999`, `${'a'.repeat(43)} -1`, '{}', '__proto__ 1']) {
      await redis.publish(`${prefix}portico:rate-limited@0`, noise);
    }
    await one.spend();
    await two.untilClosed();
    expect(await two.get('SITE-1', otherKey)).toEqual(served);
  });

  it('closes in one process while Redis is down, which is logged once, and everywhere after', async () => {
    const start = await startLimited();
    const relay = await startRelay(target);
    const url = freshRedisUrl(relay.url);
    const [one, two] = [await start(url), await start(url)];
    await one.spend();
    await two.untilClosed();
    await relay.cut();
    await one.spend(otherKey);
    expect(await one.get('SITE-1', otherKey)).toMatchObject({ source: 'rate-limited' });
    expect(await two.get('SITE-1', otherKey)).toEqual(served);
    // Earlier closures remain.
    expect(await two.get('SITE-1')).toMatchObject({ source: 'rate-limited' });
    // A command that is late on a busy machine would be another outage, after this one.
    expect(two.faults).toEqual(['CACHE_URL is unreachable: responses and rate limits are not shared']);
    await relay.mend();
    await two.untilClosed(otherKey);
  });

  it('is stored again in a Redis that has lost its data', async () => {
    const start = await startLimited();
    const relay = await startRelay(target);
    const url = freshRedisUrl(relay.url);
    const one = await start(url);
    await one.spend();
    await expect.poll(() => readRedis(url)).toContain('rate-limited');
    await relay.cut();
    await expireRedis(url, 0);
    expect(await readRedis(url)).toBe('[[],[]]');
    await relay.mend();
    const two = await start(url);
    await two.untilClosed();
    expect(one.faults).toHaveLength(1);
  });

  it('is published again after Redis did not respond for a while', async () => {
    const start = await startLimited();
    const relay = await startRelay(target);
    const url = freshRedisUrl();
    const relayed = new URL(relay.url);
    relayed.search = new URL(url).search;
    const [one, two] = [await start(url), await start(relayed.href)];
    relay.silence();
    await one.spend();
    while (two.faults.length === 0) expect(await two.get('SITE-1')).toEqual(served);
    relay.silence(false);
    await two.untilClosed();
    expect(two.faults).toHaveLength(1);
  });
});

describe('a gate without a reachable Redis', () => {
  it('closes in the process, and no call waits for it', async () => {
    const start = await startLimited();
    const one = await start('redis://user:secret@127.0.0.1:1');
    await one.spend();
    const startedAt = performance.now();
    for (let n = 0; n < 200; n += 1) {
      expect(await one.get('SITE-1')).toMatchObject({ source: 'rate-limited' });
    }
    // Had each call waited for the time limit of a command, it would be 20 seconds.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(one.faults).toEqual(['CACHE_URL is unreachable: responses and rate limits are not shared']);
  });
});
