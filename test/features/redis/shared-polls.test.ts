import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Aborter } from '../../../src/abort.ts';
import type { PollRequest } from '../../../src/features/live/polls/shared-polls.ts';
import { createRedisConnection } from '../../../src/features/redis/connection.ts';
import { createSharedPolls } from '../../../src/features/redis/shared-polls.ts';
import { UpstreamForbidden, UpstreamTimeout, UpstreamUnavailable } from '../../../src/upstream/errors.ts';
import { apiKey, startGateway } from '../../support/gateway.ts';
import { keyHolderOf } from '../../support/key-holder.ts';
import { openLive } from '../../support/live.ts';
import {
  asAdmin,
  freshRedisUrl,
  readRedis,
  redisIsReachable,
  setRedisClockBack,
} from '../../support/redis.ts';
import { responseOf } from '../../support/response.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const isReachable = await redisIsReachable();
const LEASE_MS = 400;

/** The polls of one gateway, connected to Redis. */
async function startPolls(url: string) {
  const connection = createRedisConnection(url, () => {});
  onTestFinished(() => connection.close());
  const polls = createSharedPolls(connection, LEASE_MS);
  await polls.subscribe();
  const acquire = (request: Partial<PollRequest> = {}) => polls.acquire(requestOf(request));
  /** @throws where the gateway got no lease */
  const lease = async (request: Partial<PollRequest> = {}) => {
    const acquired = await acquire(request);
    if (!acquired || !('lease' in acquired)) throw new Error(`no lease: ${JSON.stringify(acquired)}`);
    return acquired.lease;
  };
  return { ...polls, acquire, lease };
}

function requestOf(request: Partial<PollRequest>): PollRequest {
  return {
    key: keyHolderOf(apiKey),
    resource: '/v1/site/SITE-1',
    include: [],
    intervalMs: 60_000,
    isAwaited: false,
    turn: 'free',
    limit: { apartMs: 0, burstMs: 0 },
    signal: new Aborter(),
    ...request,
  };
}

describe.skipIf(!isReachable)('polls that gateways share', () => {
  it('are made by one gateway, whose body the others take with the quota beside it', async () => {
    const url = freshRedisUrl();
    const [one, two] = [await startPolls(url), await startPolls(url)];
    const lease = await one.lease({ include: ['clients'] });
    const waiting = two.acquire({ isAwaited: true });
    const quota = { remaining: 3, limit: 100, windowSeconds: 60, resetSeconds: 41 };
    const notices = { quota, reservedMs: 41_000, deprecation: null };
    const response = { ...responseOf(200, '{"id":"SITE-1"}'), notices };
    lease.onResponse(response, ['clients']);
    const { found } = (await waiting) as { found: object };
    expect(found).toMatchObject({ status: 200, body: response.body, include: ['clients'] });
    expect(found).toMatchObject({ notices: { quota: { ...quota, resetSeconds: expect.any(Number) } } });
    // Another relation, key or resource, and an interval that has passed, need a call.
    await two.lease({ include: ['projects'] });
    await two.lease({ key: keyHolderOf('another-key-0123456789') });
    await two.lease({ resource: '/v1/site/SITE-2' });
    await vi.waitFor(() => one.lease({ intervalMs: 1 }));
  });

  it('shares a 404 for all relations', async () => {
    const polls = await startPolls(freshRedisUrl());
    (await polls.lease()).onResponse(responseOf(404, ''), []);
    expect(await polls.acquire({ include: ['clients', 'projects'] })).toMatchObject({
      found: { status: 404 },
    });
  });

  it('passes the lease of a gateway that has died on when its deadline has passed, and no sooner', async () => {
    const url = freshRedisUrl();
    const [dead, other] = [await startPolls(url), await startPolls(url)];
    const startedAtMs = performance.now();
    await dead.lease();
    await other.lease({ isAwaited: true });
    const waitedMs = performance.now() - startedAtMs;
    expect(waitedMs).toBeGreaterThanOrEqual(LEASE_MS - 5);
  });

  it('releases a lease for its owner alone', async () => {
    const url = freshRedisUrl();
    const [late, other] = [await startPolls(url), await startPolls(url)];
    const lost = await late.lease();
    const held = await other.lease({ isAwaited: true });
    lost.onResponse(responseOf(200, '{"id":"late"}'), []);
    held.onResponse(responseOf(200, '{"id":"SITE-1"}'), []);
    const found = { body: Buffer.from('{"id":"SITE-1"}') };
    expect(await late.acquire()).toMatchObject({ found });
  });

  it.each([
    [new UpstreamUnavailable(500), { status: 503, retryAfter: undefined }],
    [new UpstreamUnavailable(503, {}, 30), { status: 503, retryAfter: 30 }],
    [new UpstreamUnavailable(null), { status: null }],
    [new UpstreamTimeout(LEASE_MS), {}],
  ])('share a failure with polls of the same relations, and not with loads: %s', async (error, expected) => {
    const polls = await startPolls(freshRedisUrl());
    const include = ['clients'] as const;
    (await polls.lease({ include })).onError(error);
    const taken = (await polls.acquire({ include })) as { found: { error: Error } };
    expect(taken.found.error).toBeInstanceOf(error.constructor);
    expect(taken.found.error).toMatchObject(expected);
    (await polls.lease({ include: [] })).onResponse(responseOf(200, '{}'), []);
    expect(await polls.acquire({ include }), 'a smaller body ends no failure').toMatchObject({
      found: { error: taken.found.error },
    });
    (await polls.lease({ include, isAwaited: true })).onResponse(responseOf(200, '{}'), include);
    expect(await polls.acquire({ include })).toMatchObject({ found: { status: 200 } });
  });

  it('end in all gateways at once when one of them meets a 401 or 403', async () => {
    const url = freshRedisUrl();
    const [one, two] = [await startPolls(url), await startPolls(url)];
    (await one.lease()).onResponse(responseOf(200, '{"id":"SITE-1"}'), []);
    const revoked = new Promise<void>((resolve) => {
      two.watch(keyHolderOf(apiKey), '/v1/site/SITE-1', resolve);
    });
    const unwatched = vi.fn();
    two.watch(keyHolderOf(apiKey), '/v1/site/SITE-2', unwatched)();
    (await one.lease({ resource: '/v1/site/SITE-2' })).onError(new UpstreamForbidden());
    const lost = await two.lease({ intervalMs: 0 });
    (await one.lease({ intervalMs: 0, isAwaited: true })).onError(new UpstreamForbidden());
    await revoked;
    expect(unwatched).not.toHaveBeenCalled();
    // What a call that began before brings is not stored.
    lost.onResponse(responseOf(200, '{"id":"SITE-1"}'), []);
    const taken = (await two.acquire()) as { found: { error: Error } };
    expect(taken.found.error).toBeInstanceOf(UpstreamForbidden);
    // A new stream has the call made again.
    (await two.lease({ isAwaited: true })).onResponse(responseOf(200, '{}'), []);
    expect(await one.acquire()).toMatchObject({ found: { status: 200 } });
  });

  it('count the calls of a key in all gateways together, first loads apart', async () => {
    const url = freshRedisUrl();
    const gateways = await Promise.all([1, 2, 3].map(() => startPolls(url)));
    const limit = { apartMs: 60_000, burstMs: 60_000 };
    const stop = new Aborter();
    let leases = 0;
    const waiting = gateways.flatMap((polls) =>
      [1, 2, 3].map(async () => {
        await polls.lease({ resource: randomUUID(), turn: 'wait', limit, signal: stop });
        leases += 1;
      }),
    );
    await vi.waitFor(() => expect(leases).toBe(2));
    for (const polls of gateways) await polls.lease({ resource: randomUUID(), turn: 'free', limit });
    await gateways[0]?.lease({ resource: randomUUID(), turn: 'count', limit });
    expect(leases).toBe(2);
    stop.abort(() => new UpstreamTimeout(1));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  });

  it('go on at once when the clock of Redis is set back', async () => {
    const url = freshRedisUrl();
    const polls = await startPolls(url);
    const limit = { apartMs: LEASE_MS, burstMs: 0 };
    const turn = 'wait';
    const free = { ...limit, burstMs: LEASE_MS };
    (await polls.lease({ resource: 'body' })).onResponse(responseOf(200, '{}'), []);
    (await polls.lease({ resource: 'failure' })).onError(new UpstreamForbidden());
    await polls.lease({ resource: 'held', turn, limit: free });
    await setRedisClockBack(url, 3_600_000);
    // Neither the body nor the failure nor the lease has an age, and the limiter has no longer debt than before.
    for (const resource of ['body', 'failure', 'held']) await polls.lease({ resource });
    const startedAtMs = performance.now();
    await polls.lease({ resource: 'limited', turn, limit });
    await polls.lease({ resource: 'another', turn, limit });
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(LEASE_MS - 5);
  });

  it('take no body of other relations or of another time, whatever another program writes', async () => {
    const url = freshRedisUrl();
    const polls = await startPolls(url);
    const redis = new Redis(asAdmin(url));
    onTestFinished(() => redis.disconnect());
    const startedAtMs = performance.now();
    (await polls.lease()).onResponse(responseOf(200, '{"id":"SITE-1"}'), []);
    expect(await polls.acquire()).toMatchObject({ found: { include: [] } });
    const prefix = new URL(url).searchParams.get('keyPrefix') ?? '';
    const names = (await redis.keys(`${prefix}*`)).map((name) => name.slice(prefix.length));
    const stored = await Promise.all(names.map((name) => redis.hgetall(name)));
    const n = stored.findIndex(({ body }) => body !== undefined);
    const [name = '', poll = {}] = [names[n], stored[n]];
    await redis.hset(name, 'mask', 3);
    expect(await polls.acquire({ include: ['clients'] })).toBeUndefined();
    const intervalMs = 500;
    await vi.waitFor(() => expect(performance.now() - startedAtMs).toBeGreaterThan(intervalMs), 10_000);
    const write = async () => {
      await redis.hset(name, { ...poll, at: Date.now() - 5 });
      return (await polls.acquire({ intervalMs })) ?? {};
    };
    expect(await write()).not.toHaveProperty('found');
    // Nor after a revocation, which deletes it.
    (await polls.lease({ intervalMs: 0, isAwaited: true })).onError(new UpstreamForbidden());
    await vi.waitFor(async () => expect(await redis.hget(name, 'body')).toBeNull());
    expect(await write()).not.toHaveProperty('found');
  });

  it('are made by each gateway alone while Redis is down', async () => {
    const polls = await startPolls('redis://127.0.0.1:1');
    expect(await polls.acquire()).toBeUndefined();
  });
});

it.skipIf(!isReachable)(
  'eight gateways make the polls of one, encrypted, and one rejected call of a revoked key',
  async () => {
    let isRevoked = false;
    let city = 'Bend';
    const upstream = await startUpstream((req, res) => {
      const site = { ...bareSite(siteFromPath(req.url ?? '').id), city };
      setTimeout(() => (isRevoked ? sendJson(res, {}, 403) : sendJson(res, site)), 100);
    });
    const env = { LIVE: 'on', LIVE_INTERVAL_S: '1', CACHE_URL: freshRedisUrl() };
    const gateways = await Promise.all(Array.from({ length: 8 }, () => startGateway(upstream.url, env)));
    const query = 'subscription { live(every: 1) { site(id: "SITE-1") { city } } }';
    const streams = await Promise.all(gateways.map(({ url }) => openLive(url, query)));
    for (const stream of streams) await stream.received(1);
    const secondsOfCalls = async (count: number) => {
      const startedAtMs = performance.now();
      await upstream.received(upstream.requests.length + count);
      return (performance.now() - startedAtMs) / 1000;
    };
    // Jitter makes an interval a tenth shorter. The least of several: a busy machine has some poll alone.
    await vi.waitFor(async () => expect(6 / (await secondsOfCalls(6))).toBeLessThan(1.3), 60_000);
    city = 'Salem';
    for (const stream of streams) expect(JSON.stringify(await stream.received(2))).toContain('Salem');
    const stored = await readRedis(env.CACHE_URL);
    expect(stored).toContain('portico:');
    expect(stored).not.toMatch(new RegExp(`${apiKey}|SITE-1|/v1/site|clients|address1|Salem`));
    expect(gateways.flatMap(({ lines }) => lines)).toEqual([]);
    isRevoked = true;
    const beforeRevocation = upstream.requests.length;
    for (const stream of streams) expect(JSON.stringify(await stream.received(3))).toContain('FORBIDDEN');
    expect(upstream.requests.length - beforeRevocation).toBeLessThanOrEqual(2);
  },
);
