import type { Redis } from 'ioredis';
import { onceAMinute } from '../warnings.ts';
import type { Count } from './memory-counter.ts';

export interface RedisCounter {
  /** Rejects while Redis is unreachable. A count over the limit may be any number over it. */
  consume(name: string, limit: number): Promise<Count>;
  close(): void;
}

const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 1_000;
const RECONNECT_MAX_MS = 1_000;

/**
 * Counts one request, in a window that begins with the first. Redis stores an expiry as a time of its system
 * clock. Setting that clock back would extend a window, so a time to live over the window's length is reset
 * to it.
 */
const CONSUME = `
local used = redis.call('incr', KEYS[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 or left > tonumber(ARGV[1]) then
  redis.call('pexpire', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {used, left}`;

/**
 * Connects to the Redis or Valkey at `url`, and resolves once that has succeeded or failed. A lost connection
 * is retried at least once a second; meanwhile `consume` rejects at once. `onWarning` is called with one line
 * when the connection is lost, at most once a minute.
 */
export async function startRedisCounter(
  url: string,
  windowMs: number,
  onWarning: (line: string) => void,
): Promise<RedisCounter> {
  // Imported on demand: a start without Redis does not load it.
  const { Redis } = await import('ioredis');
  // ioredis would open `REDISS:` without TLS.
  const redis = new Redis(new URL(url).href, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_MAX_MS),
  });
  redis.on('connect', () => guard(redis.stream));
  // After a rejected SELECT, ioredis would carry on in database 0, which others may use.
  redis.on('error', () => redis.disconnect(true));
  let isClosed = false;
  warnOnLoss(redis, (line) => isClosed || onWarning(line));
  await redis.connect().catch(() => {});
  /** Names whose limit is used up, with the end of their window: until then Redis is not called. */
  const exhausted = new Map<string, number>();

  return {
    async consume(name, limit) {
      const nowMs = performance.now();
      const endsAtMs = exhausted.get(name) ?? 0;
      if (endsAtMs > nowMs) return { used: limit + 1, leftMs: endsAtMs - nowMs };
      exhausted.delete(name);
      try {
        if (redis.status !== 'ready') throw new Error('Redis is not connected');
        const [used, leftMs] = await withTimeout(count(redis, name, windowMs));
        if (used >= limit) exhausted.set(name, performance.now() + leftMs);
        return { used, leftMs };
      } catch (error) {
        // Reconnects after a timeout, so that the next request does not wait for the same connection.
        if (redis.status === 'ready') redis.disconnect(true);
        throw error;
      }
    },
    close() {
      isClosed = true;
      redis.disconnect();
    },
  };
}

async function count(redis: Redis, name: string, windowMs: number): Promise<[used: number, leftMs: number]> {
  const reply: unknown = await redis.eval(CONSUME, 1, `reference-limit:${name}`, windowMs);
  const [used, leftMs] = Array.isArray(reply) ? reply : [];
  if (!Number.isSafeInteger(used) || !Number.isSafeInteger(leftMs)) throw new Error('The reply is no count');
  return [used, leftMs];
}

/** What ioredis throws at a reply that it cannot read would end the process: it ends the connection instead. */
function guard(stream: Redis['stream']): void {
  for (const listener of stream.listeners('data')) {
    stream.off('data', listener as (data: Buffer) => void);
    stream.on('data', (data: Buffer) => {
      try {
        listener(data);
      } catch {
        stream.destroy();
      }
    });
  }
}

/** Warns when the connection is lost or the first attempt fails, not again for each attempt to reconnect. */
function warnOnLoss(redis: Redis, onWarning: (line: string) => void): void {
  let isConnected = true;
  const warn = onceAMinute(onWarning);
  redis.on('ready', () => {
    isConnected = true;
  });
  redis.on('close', () => {
    if (!isConnected) return;
    isConnected = false;
    warn('REFERENCE_RATE_LIMIT_URL is unreachable: each process counts alone');
  });
}

/** Rejects after the timeout. The extra turn lets a busy process read replies that have already arrived. */
function withTimeout<T>(reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => setImmediate(reject, new Error('Redis does not respond'));
    const timer = setTimeout(expire, COMMAND_TIMEOUT_MS);
    reply.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
