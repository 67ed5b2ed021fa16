import type { Redis } from 'ioredis';

/**
 * The Redis or Valkey that several gateways share. While it cannot be reached or does not answer, nobody waits for it; the
 * operator hears once of each loss.
 */
export interface Store {
  /** The outcome of one command; undefined where the store is lost, answers too late or refuses. It connects when first asked. */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined>;
  /** Follows what is said. Settles when that has begun, or the store is known not to be there, after a second at most. */
  follow(talk: Talk): Promise<void>;
  close(): void;
}

/** What gateways say to each other under one name. */
interface Talk {
  name: string;
  hear(message: string): void;
  /** Asks for what was missed: after the beginning, and after each loss. */
  catchUp(): Promise<void>;
}

const ANSWER_PATIENCE_MS = 100;
const CONNECT_PATIENCE_MS = 1_000;
/** One who only listens notices a silent loss by asking whether the other is still there. */
const HEARTBEAT_MS = 1_000;
const RETRY_MAX_MS = 1_000;

export function createStore(url: string, onFault: (fault: Error) => void): Store {
  const lost = new Set<Redis | 'unopened'>();
  let redis: Redis | undefined;
  let ear: Redis | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let hasRefused = false;
  let isClosed = false;

  const lose = (connection: Redis | 'unopened') => {
    if (lost.size === 0 && !isClosed) {
      onFault(new Error('CACHE_URL is out of reach: answers and rate limits are not shared'));
    }
    lost.add(connection);
  };

  /** Full, read-only, not allowed: another connection would hear the same. */
  const refuse = () => {
    if (!hasRefused) onFault(new Error('CACHE_URL refuses commands: not everything is shared'));
    hasRefused = true;
  };

  const watched = (connection: Redis) =>
    connection
      .on('error', () => lose(connection))
      .on('close', () => lose(connection))
      .on('ready', () => void lost.delete(connection));

  /** Loaded only here, so that a gateway without it does not wait for it. */
  const connecting = once(async () => {
    const { Redis } = await import('ioredis');
    if (isClosed) return;
    const options = {
      enableOfflineQueue: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_PATIENCE_MS,
      // Whoever accepts a connection and then holds his tongue is as lost.
      commandTimeout: CONNECT_PATIENCE_MS,
      // Of a connection that is gone already it would wait for the end all the same, and the process with it.
      disconnectTimeout: ANSWER_PATIENCE_MS,
      retryStrategy: (attempt: number) => Math.min(attempt * 50, RETRY_MAX_MS),
    };
    redis = watched(new Redis(url, options));
  });

  /** The connection, unless the address is what none can be: a loss like any other. */
  const connected = async () => {
    await connecting().catch(() => lose('unopened'));
    return redis;
  };

  async function ask<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    const store = await connected();
    if (store?.status !== 'ready') return undefined;
    const answer = await inTime(command(store));
    if (answer === refused) return void refuse();
    if (answer !== late) return answer;
    lose(store);
    if (store.status === 'ready') store.disconnect(true);
    return undefined;
  }

  /** Whatever is said from now on is heard, and what was said before is asked for. */
  async function begin(store: Redis, listener: Redis, { name, catchUp }: Talk): Promise<void> {
    const answer = await inTime(listener.subscribe(channelOf(store, name)));
    if (answer === refused) refuse();
    else if (answer === late) listener.disconnect(true);
    else await catchUp();
  }

  return {
    ask,

    async follow(talk) {
      const store = await connected();
      if (!store || isClosed) return;
      const listener = watched(store.duplicate());
      ear = listener;
      listener.on('message', (_channel: string, message: string) => talk.hear(message));
      heartbeat = setInterval(() => {
        if (listener.status === 'ready') listener.ping().catch(() => listener.disconnect(true));
      }, HEARTBEAT_MS).unref();
      await new Promise<void>((settle) => {
        const patience = setTimeout(settle, CONNECT_PATIENCE_MS);
        const end = () => {
          clearTimeout(patience);
          settle();
        };
        const beginTogether = () => {
          const areBoth = store.status === 'ready' && listener.status === 'ready';
          if (areBoth) void begin(store, listener, talk).then(end);
        };
        for (const connection of [store, listener]) connection.on('ready', beginTogether).once('close', end);
        beginTogether();
      });
    },

    close() {
      isClosed = true;
      clearInterval(heartbeat);
      redis?.disconnect();
      ear?.disconnect();
    },
  };
}

/** Names of channels know neither the prefix of a connection nor its database by themselves. */
export function channelOf({ options }: Redis, name: string): string {
  return `${options.keyPrefix ?? ''}${name}@${options.db ?? 0}`;
}

const late = Symbol('late');
const refused = Symbol('refused');

/** `refused` where the store says no, `late` for an answer that takes too long or never comes. */
function inTime<T>(answer: Promise<T>): Promise<T | typeof late | typeof refused> {
  return new Promise((resolve) => {
    // Timers run before sockets are read: an answer that is there already is let through first.
    const timer = setTimeout(() => setImmediate(resolve, late), ANSWER_PATIENCE_MS);
    answer
      .then(resolve, (error: Error) => resolve(error.name === 'ReplyError' ? refused : late))
      .finally(() => clearTimeout(timer));
  });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
