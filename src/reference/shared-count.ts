import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

export interface SharedCount {
  /** Resolves or rejects with a `RateLimiterRes`; rejects with an `Error` where nobody counts. */
  consume(name: string): Promise<RateLimiterRes>;
  close(): void;
}

const ANSWER_PATIENCE_MS = 250;
const CONNECT_PATIENCE_MS = 1_000;
const RETRY_MAX_MS = 1_000;

/**
 * Connects to the Redis or Valkey at `url`. Resolves once it answers or is known not to; what is lost is looked
 * for again at least once a second, and meanwhile every `consume` rejects at once.
 */
export async function startSharedCount(
  url: string,
  budget: { points: number; duration: number },
  onFault: (error: unknown) => void,
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
  // Every failed attempt to reconnect is an event; one word for each loss is enough.
  redis.on('error', () => {});
  let isCounting = true;
  redis.on('ready', () => {
    isCounting = true;
  });
  const lose = () => {
    if (isCounting) onFault(new Error('RATE_LIMIT_URL is out of reach: each process counts alone'));
    isCounting = false;
  };
  let isClosed = false;
  redis.on('close', () => isClosed || lose());
  await redis.connect().catch(() => {});

  const count = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'reference-limit',
    rejectIfRedisNotReady: true,
    inMemoryBlockOnConsumed: budget.points,
    ...budget,
  });
  return {
    async consume(name) {
      try {
        return await answered(count.consume(name));
      } catch (outcome) {
        // A server that accepts and does not answer is as lost as one that is gone: the next caller need not wait.
        if (!(outcome instanceof RateLimiterRes) && redis.status === 'ready') redis.disconnect(true);
        throw outcome;
      }
    },
    close() {
      isClosed = true;
      redis.disconnect();
    },
  };
}

/** Rejects where no answer has come in time. A process that was busy reads first what came meanwhile. */
function answered<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => setImmediate(reject, new Error('the shared count does not answer'));
    const timer = setTimeout(expire, ANSWER_PATIENCE_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
