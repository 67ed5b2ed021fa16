import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { textOf } from './files.ts';

const address = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/** Has the rights that docs/scaling.md names for this database, under the key prefixes of the tests. */
const userOf = (database: number) => ({ name: `portico-tests-${database}`, password: 'of-portico-tests' });

async function createUser(redis: Redis, database: number): Promise<void> {
  const page = textOf('docs/scaling.md');
  const [, rights = ''] = /ACL SETUSER portico on >password (.+)/.exec(page) ?? [];
  const granted = rights.replaceAll(' ~', ' ~test-*:');
  const { name, password } = userOf(database);
  await redis.call('ACL', 'SETUSER', name, 'reset', 'on', `>${password}`, ...granted.split(' '));
}

/** Whether a Redis or Valkey is reachable; warns if not. Creates the users of `freshRedisUrl`. */
export async function redisIsReachable(): Promise<boolean> {
  const redis = new Redis(address, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    const isConnected = await redis.connect().then(
      () => true,
      () => false,
    );
    if (isConnected) await Promise.all([0, 1].map((database) => createUser(redis, database)));
    else console.warn('skipped: no Redis or Valkey at TEST_REDIS_URL or 127.0.0.1:6379');
    return isConnected;
  } finally {
    redis.disconnect();
  }
}

/** A URL with a key prefix of its own, and the rights of a gateway; its keys are deleted after the test. */
export function freshRedisUrl(base = address, database = 0): string {
  const keyPrefix = `test-${randomUUID()}:`;
  onTestFinished(async () => {
    const redis = new Redis(address, { db: database });
    const keys = await redis.keys(`${keyPrefix}*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  });
  const { name, password } = userOf(database);
  const url = Object.assign(new URL(base), { pathname: `/${database}`, username: name, password });
  return `${url.href}?keyPrefix=${keyPrefix}`;
}
