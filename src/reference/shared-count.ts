import type { Redis } from 'ioredis';
import type { Consumed } from './windows.ts';

export interface SharedCount {
  /** Rejects where the count cannot be had. */
  consume(name: string): Promise<Consumed>;
  close(): void;
}

const ANSWER_PATIENCE_MS = 250;
const CONNECT_PATIENCE_MS = 1_000;
const RETRY_MAX_MS = 1_000;
const WARNING_EVERY_MS = 60_000;

/**
 * Counts one request, in a window that begins with the first. Redis measures an expiry by its system clock: after that
 * was set back, a window would last as much longer, so one that has more left than its length gets its length.
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
 * Connects to the Redis or Valkey at `url`. Resolves once it answers or is known not to; what is lost is looked
 * for again at least once a second, and meanwhile every `consume` rejects at once. `onWarning` gets one line where
 * it is lost, at most once a minute.
 */
export async function startSharedCount(
  url: string,
  { limit, windowMs }: { limit: number; windowMs: number },
  onWarning: (line: string) => void,
): Promise<SharedCount> {
  // Loaded only here, so that a start without Redis does not wait for it.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_PATIENCE_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, RETRY_MAX_MS),
  });
  // Every failed attempt to reconnect is an event too, and ioredis prints those that nothing listens to.
  redis.on('error', () => {});
  let isClosed = false;
  warnOfLosses(redis, (line) => isClosed || onWarning(line));
  await redis.connect().catch(() => {});
  /** When the window of a name ends whose limit is used up: until then Redis need not be asked. */
  const usedUp = new Map<string, number>();

  return {
    async consume(name) {
      const nowMs = performance.now();
      const endsAtMs = usedUp.get(name) ?? 0;
      if (endsAtMs > nowMs) return { used: limit + 1, leftMs: endsAtMs - nowMs };
      usedUp.delete(name);
      try {
        if (redis.status !== 'ready') throw new Error('the shared count is not connected');
        const [used, leftMs] = await answered(count(redis, name, windowMs));
        if (used >= limit) usedUp.set(name, performance.now() + leftMs);
        return { used, leftMs };
      } catch (error) {
        // A server that accepts and does not answer is as lost as one that is gone: the next caller need not wait.
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
  return (await redis.eval(CONSUME, 1, `reference-limit:${name}`, windowMs)) as [number, number];
}

/** One line where the connection is lost or never made; a connection that comes and goes gets no more than that. */
function warnOfLosses(redis: Redis, onWarning: (line: string) => void): void {
  let isCounting = true;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  redis.on('ready', () => {
    isCounting = true;
  });
  redis.on('close', () => {
    if (!isCounting) return;
    isCounting = false;
    if (performance.now() - warnedAtMs < WARNING_EVERY_MS) return;
    warnedAtMs = performance.now();
    onWarning('REFERENCE_RATE_LIMIT_URL is unreachable: each process counts alone');
  });
}

/** Rejects where no answer has come in time. A process that was busy reads first what came meanwhile. */
function answered<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => setImmediate(reject, new Error('the shared count does not answer'));
    const timer = setTimeout(expire, ANSWER_PATIENCE_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
