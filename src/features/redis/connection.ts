import type { Redis } from 'ioredis';

export type RedisConnection = ReturnType<typeof createRedisConnection>;

/** How long a request waits for a reply. */
const WAIT_MS = 50;
/** After this many late replies in a row the connection is closed. */
const MAX_LATE = 3;
/** Before it is opened again; until then no request waits. */
const RECONNECT_MS = 1_000;
/** Faults that follow each other within a minute are one episode, and one line in the log. */
const EPISODE_MS = 60_000;
const late = Symbol('late');

/** Any fault of Redis is a miss. `onFault` is called once for each episode. */
export function createRedisConnection(url: string, onFault: (fault: Error) => void) {
  let opening: Promise<Redis | undefined> | undefined;
  let isClosed = false;
  let lateReplies = 0;
  let failedAtMs = -EPISODE_MS;

  /** Reports the code alone: the text of a reply may repeat what was sent. */
  function onFailure({ code, message }: { code?: string; message: string }): undefined {
    const isNew = performance.now() - failedAtMs > EPISODE_MS;
    failedAtMs = performance.now();
    if (!isNew || isClosed) return;
    const [reason] = /^[A-Z]{2,}/.exec(code ?? message) ?? ['closed'];
    onFault(new Error(`CACHE_URL fails (${reason}): responses and rate limits are not shared`));
  }

  /** Imports the library only here, for gateways with Redis. */
  async function open(): Promise<Redis> {
    const { Redis } = await import('ioredis');
    // ioredis would open `REDISS:` without TLS.
    const redis = new Redis(new URL(url).href, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // A server that accepts the connection and then sends nothing is down too.
      connectTimeout: 1_000,
      commandTimeout: 1_000,
      // Without it the process would wait for a connection that is gone already.
      disconnectTimeout: 100,
      retryStrategy: () => RECONNECT_MS,
      // After a failover the connection is still that of the former primary.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    });
    redis.on('connect', () => guard(redis.stream));
    return redis.on('error', onFailure).on('close', () => onFailure({ message: 'closed' }));
  }

  return {
    /**
     * Runs one command within 50 ms; connects when first called. Undefined for each fault. The reply may be
     * anything, whatever its type says.
     */
    async run<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
      opening ??= open().catch(onFailure);
      const redis = await opening;
      if (redis?.status !== 'ready') return undefined;
      const reply = await Promise.race([command(redis).catch(onFailure), timeLimit()]);
      lateReplies = reply === late ? lateReplies + 1 : 0;
      if (reply !== late) return reply;
      if (lateReplies < MAX_LATE) return undefined;
      redis.disconnect(true);
      return onFailure({ message: 'LATE' });
    },

    close(): void {
      isClosed = true;
      void opening?.then((redis) => redis?.disconnect());
    },
  };
}

/** Timers run before sockets are read: a reply that has arrived already goes first. */
function timeLimit(): Promise<typeof late> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve, late), WAIT_MS).unref());
}

/** Closes the connection at replies for which ioredis throws, such as thousands of nested lists. */
function guard(stream: Redis['stream']): void {
  for (const listener of stream.listeners('data') as ((data: Buffer) => void)[]) {
    stream.off('data', listener).on('data', (data: Buffer) => {
      try {
        listener(data);
      } catch {
        stream.destroy();
      }
    });
  }
}
