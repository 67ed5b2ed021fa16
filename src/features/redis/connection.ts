import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis, RedisOptions } from 'ioredis';

export type RedisConnection = ReturnType<typeof createRedisConnection>;

export interface ChannelSubscriber {
  /** Settles after a second at most. */
  subscribe(): Promise<void>;
}

interface Subscription {
  /** Of the channel. */
  name: string;
  onMessage(message: string): void;
  /** Reads what was missed: called when the subscription begins, and again after each outage. */
  resync(): Promise<void>;
}

const COMMAND_TIMEOUT_MS = 100;
const CONNECT_TIMEOUT_MS = 1_000;
/** A larger body could exceed the time limit of a command, which marks Redis as down for every request. */
export const MAX_BODY_BYTES = 1_048_576;
/** A subscriber sends nothing, and notices by its pings alone that the other side is gone. */
const PING_INTERVAL_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 1_000;
/** Without a rejection so long, the next one is another episode: a Redis that rejects writes still accepts reads. */
const ACCEPTING_MS = 60_000;

const connectionOptions: RedisOptions = {
  enableOfflineQueue: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_TIMEOUT_MS,
  // A server that accepts the connection and then sends nothing is down too.
  commandTimeout: CONNECT_TIMEOUT_MS,
  // Without it the process would wait for a connection that is gone already.
  disconnectTimeout: COMMAND_TIMEOUT_MS,
  retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RECONNECT_DELAY_MS),
};

/** While Redis or Valkey is down no call waits for it. `onFault` is called once for each outage. */
export function createRedisConnection(url: string, onFault: (fault: Error) => void) {
  const down = new Set<Redis | 'unopened'>();
  let opening: Promise<Redis | undefined> | undefined;
  const subscribers: Redis[] = [];
  const pings: NodeJS.Timeout[] = [];
  let rejectedAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  const markDown = (connection: Redis | 'unopened', fault = 'CACHE_URL is unreachable') => {
    if (down.size === 0 && !isClosed) {
      onFault(new Error(`${fault}: responses and rate limits are not shared`));
    }
    down.add(connection);
  };

  /** After a rejected SELECT, ioredis would carry on in database 0, which others may use. */
  const onError = (connection: Redis, error: Error & { command?: { name: string } }) => {
    // Redis rejects the first command also because of the password, or of its own limits.
    const isSelect = error.command?.name === 'select' && !/^(NOAUTH|DENIED|ERR max)/.test(error.message);
    markDown(connection, isSelect ? `CACHE_URL rejects database ${connection.options.db}` : undefined);
    connection.disconnect(true);
  };

  /** Out of memory, read-only, not permitted: a new connection would not help. */
  const markRejected = () => {
    const isNew = performance.now() - rejectedAtMs > ACCEPTING_MS;
    if (isNew) onFault(new Error('CACHE_URL rejects commands: not everything is shared'));
    rejectedAtMs = performance.now();
  };

  const monitored = (connection: Redis) =>
    connection
      .on('connect', () => guard(connection.stream))
      .on('error', (error) => onError(connection, error))
      .on('close', () => markDown(connection))
      .on('ready', () => void down.delete(connection));

  /** Imports the library only here, for gateways with Redis. Undefined for a URL that cannot be opened. */
  async function open(): Promise<Redis | undefined> {
    const { Redis } = await import('ioredis');
    if (isClosed) return undefined;
    try {
      // ioredis would open `REDISS:` without TLS.
      return monitored(new Redis(new URL(url).href, connectionOptions));
    } catch {
      markDown('unopened');
      return undefined;
    }
  }

  const connected = () => {
    opening ??= open();
    return opening;
  };

  /**
   * Runs one command, within 100 ms; connects when first called. Never rejects: undefined while Redis is down,
   * when it responds too late, where it rejects the command, and where `command` throws. The reply may be
   * anything, whatever its type says: `command` checks it.
   */
  async function run<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    const connection = await connected();
    if (connection?.status !== 'ready') return undefined;
    return replyOf(connection, async () => command(connection));
  }

  async function replyOf<T>(connection: Redis, command: () => Promise<T>): Promise<T | undefined> {
    const reply = await inTime(command());
    if (reply === rejected) return void markRejected();
    if (reply !== late) return reply;
    markDown(connection);
    if (connection.status === 'ready') connection.disconnect(true);
    return undefined;
  }

  /** Subscribes first and reads then, so that no message falls between. */
  async function begin(connection: Redis, listener: Redis, { name, resync }: Subscription): Promise<void> {
    const channels = await replyOf(listener, () => listener.subscribe(channelOf(connection, name)));
    if (channels !== undefined) await resync();
  }

  return {
    run,

    /** Settles when the subscription has begun, or Redis is known to be down: after a second at most. */
    async subscribe(subscription: Subscription): Promise<void> {
      const connection = await connected();
      if (!connection || isClosed) return;
      const listener = monitored(connection.duplicate());
      subscribers.push(listener);
      listener.on('message', (_channel: string, message: string) => subscription.onMessage(message));
      const ping = () => {
        if (listener.status === 'ready') listener.ping().catch(() => listener.disconnect(true));
      };
      pings.push(setInterval(ping, PING_INTERVAL_MS).unref());
      const begun = new Promise<void>((settle) => {
        const beginTogether = () => {
          const areBoth = connection.status === 'ready' && listener.status === 'ready';
          if (areBoth) void begin(connection, listener, subscription).then(settle);
        };
        for (const one of [connection, listener]) one.on('ready', beginTogether).once('close', settle);
        beginTogether();
      });
      await Promise.race([begun, sleep(CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
    },

    close(): void {
      isClosed = true;
      for (const timer of pings) clearInterval(timer);
      for (const subscriber of subscribers) subscriber.disconnect();
      void opening?.then((redis) => redis?.disconnect());
    },
  };
}

/**
 * ioredis throws at replies that it cannot read, such as thousands of nested lists. Thrown by a listener of the
 * socket, that would end the process: it ends the connection instead. ioredis 6.0 throws in a tick of its own,
 * where nothing can catch it.
 */
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

/** For a script: `now` is the time of Redis in milliseconds, because the clocks of gateways may differ. */
export const LUA_NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";

/** With the key prefix and the database of the connection, which Redis does not apply to channels. */
export function channelOf({ options }: Redis, name: string): string {
  return `${options.keyPrefix ?? ''}${name}@${options.db ?? 0}`;
}

const late = Symbol('late');
const rejected = Symbol('rejected');

/** `rejected` for an error that Redis replied, `late` for a reply that comes too late or not at all. */
function inTime<T>(reply: Promise<T>): Promise<T | typeof late | typeof rejected> {
  return new Promise((resolve) => {
    // Timers run before sockets are read: a reply that has arrived already goes first.
    const timer = setTimeout(() => setImmediate(resolve, late), COMMAND_TIMEOUT_MS);
    reply
      .then(resolve, (error: Error) => resolve(error.name === 'ReplyError' ? rejected : late))
      .finally(() => clearTimeout(timer));
  });
}
