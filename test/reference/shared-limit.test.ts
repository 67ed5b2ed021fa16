import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoKeys } from '../../src/reference/data/landmarks.ts';
import { startSharedCount } from '../../src/reference/shared-count.ts';
import { type Answer, ask, startFresh } from './harness.ts';
import { freshRedisUrl, readRedis, redisIsReachable } from './redis.ts';
import { startRelay } from './relay.ts';

const isReachable = await redisIsReachable();

const passed = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

async function startPair(url: string, limit: number, faults: unknown[] = []) {
  const rateLimit = { limit, windowS: 60, url };
  const onFault = (fault: unknown) => faults.push(fault);
  return Promise.all([startFresh({ rateLimit, onFault }), startFresh({ rateLimit, onFault })]);
}

/** Asks until the answer is as it must be; the test's own deadline ends what never comes. */
async function until(ask: () => Promise<Answer>, isRight: (answer: Answer) => boolean): Promise<void> {
  while (!isRight(await ask()));
}

describe.skipIf(!isReachable)('a rate limit in Redis or Valkey', () => {
  it('lets exactly 100 of 1,000 parallel calls pass two servers', async () => {
    const url = freshRedisUrl();
    const pair = await startPair(url, 100);
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => ask(pair[n % 2] ?? pair[0], '/v1/health')),
    );
    expect(passed(answers)).toBe(100);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(900);
  });

  it('goes by the public name of a key and holds no more of it', async () => {
    const url = freshRedisUrl();
    const [reference] = await startPair(url, 100);
    await ask(reference, '/v1/health');
    const held = await readRedis(url);
    expect(held).toContain(demoKeys.acme.slice(0, 8));
    expect(held).not.toContain(demoKeys.acme.slice(0, 9));
  });

  it('is counted by each server alone while Redis is lost, and together again after', async () => {
    const relay = await startRelay(new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'));
    const faults: unknown[] = [];
    const pair = await startPair(freshRedisUrl(relay.url), 3, faults);
    for (const reference of pair) expect((await ask(reference, '/v1/health')).status).toBe(200);
    await relay.cut();
    await until(
      async () => ask(pair[0], '/v1/health', {}),
      () => faults.length === 2,
    );
    for (const reference of pair) {
      const answers = [];
      for (let n = 0; n < 5; n += 1) answers.push(await ask(reference, '/v1/health'));
      // One of the window's three was asked before, and is not given back.
      expect(passed(answers)).toBe(2);
    }
    await relay.mend();
    // Here all three are spent: what passes is the one that was left of the shared three.
    await until(
      async () => ask(pair[0], '/v1/health'),
      ({ status }) => status === 200,
    );
    expect(String(faults)).toMatch(/^Error: RATE_LIMIT_URL is out of reach[^,]+,[^,]+$/);
  });

  it('does not wait for a Redis that holds its tongue', async () => {
    const relay = await startRelay(new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'));
    const [reference] = await startPair(freshRedisUrl(relay.url), 100);
    await ask(reference, '/v1/health');
    relay.silence();
    const started = performance.now();
    for (let n = 0; n < 20; n += 1) expect((await ask(reference, '/v1/health')).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe.skipIf(!isReachable)('the shared count', () => {
  it('takes the answers that a busy process has not read yet for answers', async () => {
    const faults: unknown[] = [];
    const budget = { points: 100, duration: 60 };
    const count = await startSharedCount(freshRedisUrl(), budget, (fault) => faults.push(fault));
    onTestFinished(() => count.close());
    const taken = Promise.allSettled(Array.from({ length: 1000 }, () => count.consume('key')));
    await turn();
    const busyUntil = performance.now() + 400;
    while (performance.now() < busyUntil);
    expect((await taken).filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    expect(faults).toEqual([]);
  });
});

describe('a rate limit whose Redis is nowhere', () => {
  it('starts, says so once, and counts in memory', async () => {
    const faults: unknown[] = [];
    const reference = await startFresh({
      rateLimit: { limit: 2, windowS: 60, url: 'redis://user:secret@127.0.0.1:1' },
      onFault: (fault) => faults.push(fault),
    });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await ask(reference, '/v1/health')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(faults).toHaveLength(1);
    expect(String(faults)).not.toContain('secret');
  });
});
