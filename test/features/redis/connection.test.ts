import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { createRedisConnection } from '../../../src/features/redis/connection.ts';
import { freshRedisUrl, redisIsReachable } from '../../support/redis.ts';
import { startRelay } from '../../support/relay.ts';

const isReachable = await redisIsReachable();
const target = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');

const countUp = "return redis.call('HINCRBY', KEYS[1], 'n', 1)";

it.skipIf(!isReachable)('repeats no script that an outage cuts off, and runs others after it', async () => {
  const redis = new Redis(target.href);
  onTestFinished(() => redis.disconnect());
  const relay = await startRelay(target);
  const faults: string[] = [];
  const url = freshRedisUrl(relay.url);
  const connection = createRedisConnection(url, ({ message }) => faults.push(message));
  const count = () => connection.run((one) => one.eval(countUp, 1, 'portico:count'));
  const counted = () => redis.hget(`${new URL(url).searchParams.get('keyPrefix')}portico:count`, 'n');
  const connected = () => expect.poll(() => connection.run((one) => one.ping())).toBe('PONG');
  try {
    await connected();
    expect(await count()).toBe(1);

    relay.holdReplies();
    const cutOff = count();
    await expect.poll(counted).toBe('2');
    await relay.cut();
    expect(await cutOff).toBeUndefined();

    relay.holdReplies(false);
    await relay.mend();
    await connected();
    expect(await counted()).toBe('2');
    expect(await count()).toBe(3);
    expect(faults).toHaveLength(1);
  } finally {
    connection.close();
  }
});
