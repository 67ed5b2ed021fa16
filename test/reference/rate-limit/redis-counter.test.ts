import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { startRedisCounter } from '../../../reference/rate-limit/redis-counter.ts';
import { encoded, nested, startOddRedis } from '../../support/odd-redis.ts';
import { expireRedis, freshRedisUrl, readRedis, redisIsReachable } from '../../support/redis.ts';
import { startRelay } from '../../support/relay.ts';
import type { WireResponse } from '../../support/wire.ts';
import { passTime, stepClock } from '../support/clock.ts';
import { sendRequest, startFresh } from '../support/server.ts';

const isReachable = await redisIsReachable();

const lost = 'REFERENCE_RATE_LIMIT_URL is unreachable: each process counts alone';
const WINDOW_MS = 60_000;

const passed = (responses: WireResponse[]) => responses.filter(({ status }) => status === 200).length;

async function startPair(url: string, limit: number, warnings: string[] = []) {
  const rateLimit = { limit, windowS: 60, url };
  const onWarning = (line: string) => warnings.push(line);
  return Promise.all([startFresh({ rateLimit, onWarning }), startFresh({ rateLimit, onWarning })]);
}

/** Repeats the request until the response is as expected, or the test times out. */
async function until(
  send: () => Promise<WireResponse>,
  isRight: (response: WireResponse) => boolean,
): Promise<void> {
  while (!isRight(await send()));
}

describe.skipIf(!isReachable)('a rate limit in Redis or Valkey', () => {
  it('allows exactly 100 of 1,000 concurrent requests over two servers', async () => {
    const url = freshRedisUrl();
    const pair = await startPair(url, 100);
    const responses = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => sendRequest(pair[n % 2] ?? pair[0], '/v1/health')),
    );
    expect(passed(responses)).toBe(100);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(900);
  });

  it('stores the public name of a key and no more of it', async () => {
    const url = freshRedisUrl();
    const [reference] = await startPair(url, 100);
    await sendRequest(reference, '/v1/health');
    const held = await readRedis(url);
    expect(held).toContain(demoKeys.acme.slice(0, 8));
    expect(held).not.toContain(demoKeys.acme.slice(0, 9));
  });

  it('is counted by each server alone while Redis is unreachable, and together again after', async () => {
    const relay = await startRelay(new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'));
    const warnings: string[] = [];
    const pair = await startPair(freshRedisUrl(relay.url), 3, warnings);
    for (const reference of pair) expect((await sendRequest(reference, '/v1/health')).status).toBe(200);
    await relay.cut();
    await until(
      async () => sendRequest(pair[0], '/v1/health', {}),
      () => warnings.length === 2,
    );
    for (const reference of pair) {
      const responses = [];
      for (let n = 0; n < 5; n += 1) responses.push(await sendRequest(reference, '/v1/health'));
      // Without the one request before the loss.
      expect(passed(responses)).toBe(2);
    }
    await relay.mend();
    // The server's own count is used up; one of the shared three is left.
    await until(
      async () => sendRequest(pair[0], '/v1/health'),
      ({ status }) => status === 200,
    );
    expect(warnings).toEqual([lost, lost]);
  });

  it.each([-3_600, 3_600])('keeps its window when the clock steps by %d s', async (seconds) => {
    const [reference] = await startPair(freshRedisUrl(), 1);
    expect((await sendRequest(reference, '/v1/health')).status).toBe(200);
    stepClock(seconds);
    const { status, headers } = await sendRequest(reference, '/v1/health');
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('ends its window in time after the clock of Redis is set back', async () => {
    const url = freshRedisUrl();
    const [reference] = await startPair(url, 100);
    await sendRequest(reference, '/v1/health');
    // The effect of that on an expiry, which Redis stores as a time of its clock.
    expect(await expireRedis(url, 3_660)).toEqual([expect.closeTo(60, -1)]);
    const { headers } = await sendRequest(reference, '/v1/health');
    const [, left, resetS] = /^"key";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit)) ?? [];
    expect(left).toBe('98');
    expect(Number(resetS)).toBeLessThanOrEqual(60);
    const [ttl = 0] = await expireRedis(url, 60);
    expect(ttl).toBeLessThanOrEqual(60);
  });

  it('waits once for a Redis that does not respond', async () => {
    const relay = await startRelay(new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'));
    const [reference] = await startPair(freshRedisUrl(relay.url), 100);
    await sendRequest(reference, '/v1/health');
    relay.silence();
    const started = performance.now();
    for (let n = 0; n < 20; n += 1) expect((await sendRequest(reference, '/v1/health')).status).toBe(200);
    // Twenty timeouts of 250 ms.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe.skipIf(!isReachable)('the Redis counter', () => {
  it('accepts replies that have arrived while the process was busy', async () => {
    const warnings: string[] = [];
    const count = await startRedisCounter(freshRedisUrl(), WINDOW_MS, (line) => warnings.push(line));
    onTestFinished(() => count.close());
    const taken = Promise.allSettled(Array.from({ length: 1000 }, () => count.consume('key', 100)));
    await immediate();
    const busyUntil = performance.now() + 400;
    while (performance.now() < busyUntil);
    const passing = (await taken).filter((one) => one.status === 'fulfilled' && one.value.used <= 100);
    expect(passing).toHaveLength(100);
    expect(warnings).toEqual([]);
  });

  it('warns of an unstable connection once a minute', async () => {
    const relay = await startRelay(new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'));
    const warnings: string[] = [];
    const count = await startRedisCounter(freshRedisUrl(relay.url), WINDOW_MS, (line) => warnings.push(line));
    onTestFinished(() => count.close());
    const isCounting = async () => {
      // Lets I/O happen: a rejection comes without it.
      await immediate();
      return count.consume('key', 100).then(
        () => true,
        () => false,
      );
    };
    const loseAndRestore = async () => {
      while (!(await isCounting()));
      await relay.cut();
      while (await isCounting());
      await relay.mend();
    };
    for (let n = 0; n < 3; n += 1) await loseAndRestore();
    while (!(await isCounting()));
    expect(warnings).toEqual([lost]);
    passTime(61);
    await loseAndRestore();
    while (!(await isCounting()));
    expect(warnings).toEqual([lost, lost]);
  });
});

describe('a reply of Redis', () => {
  it.each([
    ['20,000 nested lists', nested(20_000)],
    ['a number', encoded(7)],
    ['texts', encoded(['7', '60000'])],
    ['no time', encoded([7])],
    ['nothing', encoded(null)],
  ])('that is no count rejects, and ends nothing: %s', async (_, reply) => {
    const redis = await startOddRedis();
    const counter = await startRedisCounter(redis.url, WINDOW_MS, () => {});
    onTestFinished(() => counter.close());
    redis.state.reply = reply;
    await expect(counter.consume('name', 3)).rejects.toThrow();
    redis.state.reply = encoded([1, WINDOW_MS]);
    await vi.waitFor(
      async () => expect(await counter.consume('name', 3)).toEqual({ used: 1, leftMs: WINDOW_MS }),
      10_000,
    );
  });
});

it('counts in no other database than that of the URL', async () => {
  const redis = await startOddRedis();
  redis.state.reply = '-ERR DB index is out of range\r\n';
  const warnings: string[] = [];
  const counter = await startRedisCounter(`${redis.url}16`, WINDOW_MS, (line) => warnings.push(line));
  onTestFinished(() => counter.close());
  await vi.waitFor(async () => {
    await expect(counter.consume('name', 3)).rejects.toThrow();
    expect(redis.commands.filter((name) => name === 'select').length).toBeGreaterThan(3);
  }, 10_000);
  expect(redis.commands).not.toContain('eval');
  expect(warnings).toEqual([lost]);
});

it('opens rediss: with TLS however it is written', async () => {
  const redis = await startOddRedis();
  const url = redis.url.replace('redis://', 'REDISS://user:secret@');
  const counter = await startRedisCounter(url, WINDOW_MS, () => {});
  onTestFinished(() => counter.close());
  await expect(counter.consume('name', 3)).rejects.toThrow();
  expect(redis.commands).toEqual([]);
});
