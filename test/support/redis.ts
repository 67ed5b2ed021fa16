import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

const address = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/** Whether a Redis or Valkey is reachable; warns if not. */
export async function redisIsReachable(): Promise<boolean> {
  const redis = new Redis(address, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return true;
  } catch {
    console.warn('skipped: no Redis or Valkey at TEST_REDIS_URL or 127.0.0.1:6379');
    return false;
  } finally {
    redis.disconnect();
  }
}

/** A URL with a key prefix of its own. Its keys are deleted after the test. */
export function freshRedisUrl(base = address): string {
  const keyPrefix = `test-${randomUUID()}:`;
  onTestFinished(async () => {
    const redis = new Redis(address);
    const keys = await redis.keys(`${keyPrefix}*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  });
  return `${base}?keyPrefix=${keyPrefix}`;
}

/** All keys and values under the prefix, as JSON. */
export async function readRedis(url: string): Promise<string> {
  const redis = new Redis(address);
  const keys = await redis.keys(`${new URL(url).searchParams.get('keyPrefix')}*`);
  const readValue = async (key: string) => {
    const type = await redis.type(key);
    return type === 'hash' ? redis.hgetall(key) : type === 'string' ? redis.get(key) : null;
  };
  const values = await Promise.all(keys.map(readValue));
  redis.disconnect();
  return JSON.stringify([keys, values]);
}

/** Sets the time to live of all keys under the prefix, and returns their previous ones. */
export async function expireRedis(url: string, seconds: number): Promise<number[]> {
  const redis = new Redis(address);
  const keys = await redis.keys(`${new URL(url).searchParams.get('keyPrefix')}*`);
  const lives = await Promise.all(keys.map((key) => redis.ttl(key)));
  await Promise.all(keys.map((key) => redis.expire(key, seconds)));
  redis.disconnect();
  return lives;
}

/** As if the clock of Redis had been set back by so much: the times under the prefix are that far in the future. */
export async function setRedisClockBack(url: string, ms: number): Promise<void> {
  const redis = new Redis(address);
  for (const key of await redis.keys(`${new URL(url).searchParams.get('keyPrefix')}*`)) {
    const isHash = (await redis.type(key)) === 'hash';
    const times = isHash ? Object.keys(await redis.hgetall(key)) : await redis.zrange(key, 0, -1);
    for (const name of times) {
      if (!isHash) await redis.zincrby(key, ms, name);
      else if (['at', 'failedAt', 'began'].includes(name)) await redis.hincrby(key, name, ms);
    }
    await redis.pexpire(key, (await redis.pttl(key)) + ms);
  }
  redis.disconnect();
}
