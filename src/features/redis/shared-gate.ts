import { LRUCache } from 'lru-cache';
import type { KeyHolder } from '../../upstream/caller.ts';
import type { Closure, OwnGate, SharedGate } from '../../upstream/guards/rate-limit.ts';
import { type ChannelSubscriber, channelOf, LUA_NOW, type RedisConnection } from './connection.ts';
import { deriveKey } from './encryption.ts';

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

/** The gates of all gateways that use this Redis. */
export function createSharedGate(redis: RedisConnection): SharedGate & ChannelSubscriber {
  const names = new LRUCache<string, string>({ max: MAX_KEYS });
  let own: OwnGate | undefined;

  async function publish(closures: readonly Closure[]): Promise<void> {
    await redis.run((client) => client.eval(PUBLISH, 1, NAME, channelOf(client, NAME), ...closures.flat()));
  }

  /** Reads the closures in Redis, and publishes those that are not there. */
  async function resync(): Promise<void> {
    const stored = await redis.run((client) => client.eval(READ, 1, NAME));
    if (typeof stored !== 'string') return;
    const found = closuresFrom(stored);
    const known = new Map(found);
    const unpublished = own?.closures().filter(([name, ms]) => ms > (known.get(name) ?? 0) + TOLERANCE_MS);
    own?.extend(found);
    if (unpublished && unpublished.length > 0) await publish(unpublished);
  }

  return {
    /** Derived from the API key, as in the shared cache: Redis alone does not reveal whose it is. */
    nameOf({ keyHash, apiKey }: KeyHolder): string {
      const name = names.get(keyHash) ?? Buffer.from(deriveKey(apiKey, 'gate name')).toString('base64url');
      names.set(keyHash, name);
      return name;
    },
    publish,
    attach(gate) {
      own = gate;
    },
    /** Subscribes to new closures, and settles once the existing ones are known. */
    subscribe: () =>
      redis.subscribe({ name: NAME, onMessage: (message) => own?.extend(closuresFrom(message)), resync }),
  };
}

/** Ignores what is not a pair: other programs may publish on the channel too. */
function closuresFrom(message: string): Closure[] {
  return [...message.matchAll(/([\w-]{43}) (\d{1,7})(?: |$)/g)]
    .map(([, name = '', ms]): Closure => [name, Number(ms)])
    .filter(([, ms]) => ms <= MAX_MS);
}
