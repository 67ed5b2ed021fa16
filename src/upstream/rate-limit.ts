import { LRUCache } from 'lru-cache';
import { deriveKey, type KeyHolder } from './caller.ts';
import { channelOf, LUA_NOW, type RedisConnection } from './redis.ts';

/** The cool-down of keys whose rate limit is exceeded: no call is sent for them until it is over. */
export type RateLimitGate = ReturnType<typeof createRateLimitGate>;

/** Of more keys the oldest are dropped. */
const MAX_KEYS = 10_000;
/** The longest delay that counts. */
const MAX_SECONDS = 3600;
const MAX_MS = MAX_SECONDS * 1000;
const NAME = 'portico:rate-limited';
/** Two processes may differ by so much about one closure, because of the network. */
const TOLERANCE_MS = 1_000;

/**
 * The closures are a sorted set of names by the time at which each ends, on the clock of Redis: those of the
 * machines may differ. The empty name has the time of the latest one. If that is in the future, the clock has
 * been set back, and no end is known. Messages are pairs of a name and the milliseconds that are left.
 */
const PUBLISH = `${LUA_NOW}
  if tonumber(redis.call('ZSCORE', KEYS[1], '') or 0) > now then redis.call('DEL', KEYS[1]) end
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  for i = 2, #ARGV, 2 do
    local at, known = now + ARGV[i + 1], redis.call('ZSCORE', KEYS[1], ARGV[i])
    if not known or tonumber(known) < at then redis.call('ZADD', KEYS[1], at, ARGV[i]) end
  end
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -${MAX_KEYS + 1})
  redis.call('ZADD', KEYS[1], now, '')
  redis.call('PEXPIRE', KEYS[1], ${MAX_MS})
  redis.call('PUBLISH', ARGV[1], table.concat(ARGV, ' ', 2))`;
const READ = `${LUA_NOW}
  if tonumber(redis.call('ZSCORE', KEYS[1], '') or 0) > now then return '' end
  local found = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES')
  for i = 2, #found, 2 do found[i] = string.format('%d', found[i] - now) end
  return table.concat(found, ' ')`;

/**
 * The gates of this process. With `redis` a gate closes in every gateway when it closes in one. Each process
 * has its own copy, so that no call waits for it.
 */
export function createRateLimitGate(redis: RedisConnection | null = null) {
  const closed = new LRUCache<string, true>({ max: MAX_KEYS, ttl: 1, ttlResolution: 0 });
  const names = new LRUCache<string, string>({ max: MAX_KEYS });
  let lastOpensAtMs = 0;

  /** In Redis derived from the API key, as in the shared cache: Redis alone does not reveal whose it is. */
  function gateNameOf({ keyHash, apiKey }: KeyHolder): string {
    if (!redis) return keyHash;
    const name = names.get(keyHash) ?? Buffer.from(deriveKey(apiKey, 'gate name')).toString('base64url');
    names.set(keyHash, name);
    return name;
  }

  const secondsLeft = (name: string) => Math.ceil(Math.max(0, closed.getRemainingTTL(name)) / 1000);

  /** Never shortens. */
  function extend(name: string, ms: number): void {
    if (ms <= closed.getRemainingTTL(name)) return;
    closed.set(name, true, { ttl: ms });
    lastOpensAtMs = Math.max(lastOpensAtMs, performance.now() + ms);
  }

  async function publish(pairs: [name: string, ms: number][]): Promise<void> {
    await redis?.run((client) => client.eval(PUBLISH, 1, NAME, channelOf(client, NAME), ...pairs.flat()));
  }

  function onMessage(message: string): void {
    for (const [name, ms] of pairsFrom(message)) extend(name, ms);
  }

  /** Reads the closures in Redis, and publishes those that are not there. */
  async function resync(): Promise<void> {
    const stored = await redis?.run((client) => client.eval(READ, 1, NAME));
    if (typeof stored !== 'string') return;
    const known = new Map(pairsFrom(stored));
    const unpublished = [...closed.keys()]
      .map((name): [string, number] => [name, Math.ceil(closed.getRemainingTTL(name))])
      .filter(([name, ms]) => ms > (known.get(name) ?? 0) + TOLERANCE_MS);
    onMessage(stored);
    if (unpublished.length > 0) await publish(unpublished);
  }

  return {
    /** Closes the gate of a key; of several closures the longest counts. */
    close(caller: KeyHolder, seconds: number): void {
      const name = gateNameOf(caller);
      // Many 429 at once are one message.
      const isNew = seconds > secondsLeft(name);
      extend(name, seconds * 1000);
      if (isNew) void publish([[name, seconds * 1000]]);
    },
    /** Whole seconds until the gate of the key opens, rounded up; 0 where it is open, as most gates are. */
    secondsClosed: (caller: KeyHolder) =>
      performance.now() > lastOpensAtMs ? 0 : secondsLeft(gateNameOf(caller)),
    /** How many gates are closed. */
    count(): number {
      closed.purgeStale();
      return closed.size;
    },
    /** Where gateways share gates: subscribes to new closures, and settles once the existing ones are known. */
    subscribe: async () => redis?.subscribe({ name: NAME, onMessage, resync }),
  };
}

/** Ignores what is not a pair: other programs may publish on the channel too. */
function pairsFrom(message: string): [string, number][] {
  return [...message.matchAll(/([\w-]{43}) (\d{1,7})(?: |$)/g)]
    .map(([, name = '', ms]): [string, number] => [name, Number(ms)])
    .filter(([, ms]) => ms <= MAX_MS);
}
