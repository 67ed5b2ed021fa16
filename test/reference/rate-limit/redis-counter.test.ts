import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoKeys } from '../../../src/reference/data/demo-ids.ts';
import { startRedisCounter } from '../../../src/reference/rate-limit/redis-counter.ts';
import { expireRedis, freshRedisUrl, readRedis, redisIsReachable } from '../redis.ts';
import { startRelay } from '../relay.ts';
import { passTime, stepClock } from '../support/clock.ts';
import { linesOf, outcomeOf, run } from '../support/process.ts';
import { type Answer, ask, startFresh } from '../support/server.ts';

const isReachable = await redisIsReachable();

const lost = 'REFERENCE_RATE_LIMIT_URL is unreachable: each process counts alone';
const budget = { limit: 100, windowMs: 60_000 };

const passed = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

async function startPair(url: string, limit: number, warnings: string[] = []) {
  const rateLimit = { limit, windowS: 60, url };
  const onWarning = (line: string) => warnings.push(line);
  return Promise.all([startFresh({ rateLimit, onWarning }), startFresh({ rateLimit, onWarning })]);
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
    const warnings: string[] = [];
    const pair = await startPair(freshRedisUrl(relay.url), 3, warnings);
    for (const reference of pair) expect((await ask(reference, '/v1/health')).status).toBe(200);
    await relay.cut();
    await until(
      async () => ask(pair[0], '/v1/health', {}),
      () => warnings.length === 2,
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
    expect(warnings).toEqual([lost, lost]);
  });

  it.each([-3_600, 3_600])('keeps its window when the clock steps by %d s', async (seconds) => {
    const [reference] = await startPair(freshRedisUrl(), 1);
    expect((await ask(reference, '/v1/health')).status).toBe(200);
    stepClock(seconds);
    const { status, headers } = await ask(reference, '/v1/health');
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('ends its window in time after the clock of Redis was set back', async () => {
    const url = freshRedisUrl();
    const [reference] = await startPair(url, 100);
    await ask(reference, '/v1/health');
    // What a step does to an expiry, which Redis keeps as a moment of its clock.
    expect(await expireRedis(url, 3_660)).toEqual([expect.closeTo(60, -1)]);
    const { headers } = await ask(reference, '/v1/health');
    const [, left, resetS] = /^"key";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit)) ?? [];
    expect(left).toBe('98');
    expect(Number(resetS)).toBeLessThanOrEqual(60);
    const [life = 0] = await expireRedis(url, 60);
    expect(life).toBeLessThanOrEqual(60);
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
    const warnings: string[] = [];
    const count = await startRedisCounter(freshRedisUrl(), budget, (line) => warnings.push(line));
    onTestFinished(() => count.close());
    const taken = Promise.allSettled(Array.from({ length: 1000 }, () => count.consume('key')));
    await turn();
    const busyUntil = performance.now() + 400;
    while (performance.now() < busyUntil);
    const passing = (await taken).filter((one) => one.status === 'fulfilled' && one.value.used <= 100);
    expect(passing).toHaveLength(100);
    expect(warnings).toEqual([]);
  });

  it('warns of a connection that comes and goes once a minute', async () => {
    const relay = await startRelay(new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'));
    const warnings: string[] = [];
    const count = await startRedisCounter(freshRedisUrl(relay.url), budget, (line) => warnings.push(line));
    onTestFinished(() => count.close());
    const isCounting = async () => {
      // A rejection may come at once, and what the loop waits for comes by the network.
      await turn();
      return count.consume('key').then(
        () => true,
        () => false,
      );
    };
    const comeAndGo = async () => {
      while (!(await isCounting()));
      await relay.cut();
      while (await isCounting());
      await relay.mend();
    };
    for (let n = 0; n < 3; n += 1) await comeAndGo();
    while (!(await isCounting()));
    expect(warnings).toEqual([lost]);
    passTime(61);
    await comeAndGo();
    while (!(await isCounting()));
    expect(warnings).toEqual([lost, lost]);
  });
});

describe('a rate limit whose Redis is nowhere', () => {
  it('starts, says so once, and counts in memory', async () => {
    const warnings: string[] = [];
    const faults: unknown[] = [];
    const reference = await startFresh({
      rateLimit: { limit: 2, windowS: 60, url: 'redis://user:secret@127.0.0.1:1' },
      onWarning: (line) => warnings.push(line),
      onFault: (fault) => faults.push(fault),
    });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await ask(reference, '/v1/health')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect({ warnings, faults }).toEqual({ warnings: [lost], faults: [] });
  });

  it('is one line of the process, and no stack', async () => {
    const env = {
      REFERENCE_PORT: '0',
      REFERENCE_DATABASE_URL: ':memory:',
      REFERENCE_RATE_LIMIT_URL: 'redis://user:secret@127.0.0.1:1',
    };
    const child = run(env);
    const ended = outcomeOf(child);
    const [ready = ''] = await linesOf(child, 1);
    expect((await ask({ url: ready.replace('reference ready at ', '') }, '/v1/health')).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, errors: `${lost}\n` });
  });
});
