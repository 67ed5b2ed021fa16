import fc from 'fast-check';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { ACQUIRE, RELEASE, REVOKE } from '../../../../../src/features/redis/shared-polls.ts';
import { asAdmin, freshRedisUrl, redisIsReachable } from '../../../../support/redis.ts';
import { scaled } from '../../../../support/scale.ts';
import { RedisModel } from './redis-model.ts';

const reachable = await redisIsReachable();
/** No test takes so long: only a time of zero is over. */
const LONG_MS = 600_000;
/** How far the two may be apart, because they run one after the other. */
const TOLERANCE_MS = 30_000;

const name = fc.constantFrom('poll-1', 'poll-2');
const mask = fc.constantFrom('0', '1', '2', '3');
const owner = fc.constantFrom('owner-1', 'owner-2', 'owner-3');
const time = fc.constantFrom(0, LONG_MS, LONG_MS);
/** Jitter makes most intervals fractions. */
const age = fc.oneof(time, fc.double({ min: LONG_MS, max: 2 * LONG_MS, noNaN: true }));

const acquire = fc
  .record({ name, mask, maxAge: age, owner, lease: time, takes: fc.constantFrom('0', '1') })
  .chain(({ name, mask, maxAge, owner, lease, takes }) =>
    fc.record({ turn: fc.constantFrom('wait', 'count', 'free'), burst: fc.constantFrom(0, LONG_MS) }).map(
      ({ turn, burst }): Command => ({
        script: ACQUIRE,
        names: [name, 'turns'],
        values: [mask, String(maxAge), owner, String(lease), turn, String(LONG_MS), String(burst), takes],
      }),
    ),
  );
const outcome = fc.oneof(
  fc.tuple(
    fc.constant('body'),
    mask,
    fc.constantFrom('first', 'second'),
    fc.constantFrom('-1', '0', '1', '3'),
  ),
  fc.tuple(fc.constantFrom('timeout', 'unavailable'), mask),
  fc.constant(['']),
);
const release = fc
  .tuple(name, owner, outcome)
  .map(([name, owner, rest]): Command => ({ script: RELEASE, names: [name], values: [owner, ...rest] }));
const revoke = name.map((name): Command => ({ script: REVOKE, names: [name], values: ['revoked', name] }));
/** What a step of the clock does to the times that are stored. */
const STEP = `
  for _, field in ipairs({'at', 'failedAt', 'began'}) do
    local time = redis.call('HGET', KEYS[1], field)
    if time then redis.call('HSET', KEYS[1], field, time - ARGV[1]) end
  end`;
const step = fc
  .constantFrom(-2 * LONG_MS, 2 * LONG_MS)
  .map((ms): Command => ({ script: STEP, names: ['poll-1', 'poll-2', 'turns'], values: [String(ms)] }));

const commands = fc.array(
  fc.oneof(
    { arbitrary: acquire, weight: 6 },
    { arbitrary: release, weight: 4 },
    { arbitrary: revoke, weight: 1 },
    { arbitrary: step, weight: 1 },
  ),
  { minLength: 1, maxLength: 25, size: 'max' },
);

interface Command {
  script: string;
  names: string[];
  values: string[];
}

it.runIf(reachable)('replies as the scripts in a Redis do', async () => {
  // Without the time limit of the gateway's connection, which a busy machine may exceed.
  const redis = new Redis(asAdmin(freshRedisUrl()));
  onTestFinished(() => redis.disconnect());
  const kinds = new Set<string>();
  let run = 0;
  const property = fc.asyncProperty(commands, async (sequence) => {
    run += 1;
    const model = new RedisModel({
      fate: () => ({ requestMs: 0, replyMs: 0, isRequestLost: false, isReplyLost: false }),
    });
    for (const { script, names, values } of sequence) {
      const args = [...names.map((one) => `${run}-${one}`), ...values];
      if (script === STEP) {
        for (const one of args.slice(0, names.length)) await redis.eval(STEP, 1, one, ...values);
        model.skewMs += Number(values[0]);
        continue;
      }
      const expected = await redis.eval(script, names.length, ...args);
      const actual = model.eval(script, names.length, ...args);
      expect(loose(actual)).toEqual(loose(expected));
      if (Array.isArray(expected)) kinds.add(String(expected[0]));
    }
  });
  await fc.assert(property, { numRuns: scaled(100) });
  expect([...kinds].sort()).toEqual(['body', 'failure', 'lease', 'turn', 'wait']);
});

/** A reply whose duration is rounded; the clocks of the two are different ones. */
function loose(reply: unknown): unknown {
  if (!Array.isArray(reply)) return reply;
  const [kind, ms, ...rest] = reply;
  const isTime = kind === 'lease' || kind === 'body';
  return [kind, isTime ? 'now' : Math.round(Number(ms) / TOLERANCE_MS), ...rest];
}
