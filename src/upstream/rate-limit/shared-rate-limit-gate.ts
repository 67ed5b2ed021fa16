import { LRUCache } from 'lru-cache';
import type { KeyHolder } from '../caller.ts';
import { deriveKey } from '../derived-key.ts';
import { channelOf, type RedisConnection } from '../redis.ts';
import { createExpiringMap, secondsFromMs } from './expiring-map.ts';
import type { RateLimitGate } from './rate-limit-gate.ts';

/** A gate that closes in every gateway when it closes in one. Each process has its own copy, so that no call waits for it. */
export interface SharedRateLimitGate extends RateLimitGate {
  /** Subscribes to the closures of the others. Settles when those of before are known, if they can be. */
  subscribe(): Promise<void>;
}

const NAME = 'portico:rate-limited';
const MAX_KEYS = 10_000;
/** The longest Retry-After that counts. */
const MAX_MS = 3_600_000;
/** Two processes may differ by so much about one closure, because of the network. */
const TOLERANCE_MS = 1_000;

/**
 * The closures are a sorted set of names by the time at which each ends, on the clock of Redis: those of the machines may
 * differ. Messages are pairs of a name and the milliseconds that are left.
 */
const now = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
const PUBLISH = `${now}
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  for i = 2, #ARGV, 2 do
    local at, known = now + ARGV[i + 1], redis.call('ZSCORE', KEYS[1], ARGV[i])
    if not known or tonumber(known) < at then redis.call('ZADD', KEYS[1], at, ARGV[i]) end
  end
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -${MAX_KEYS + 1})
  redis.call('PEXPIRE', KEYS[1], ${MAX_MS})
  redis.call('PUBLISH', ARGV[1], table.concat(ARGV, ' ', 2))`;
const READ = `${now}
  local found = redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf', 'WITHSCORES')
  for i = 2, #found, 2 do found[i] = string.format('%d', found[i] - now) end
  return table.concat(found, ' ')`;

export function createSharedRateLimitGate(redis: RedisConnection): SharedRateLimitGate {
  const closed = createExpiringMap();
  /** Names derived from the API keys, as in the shared cache: Redis alone does not reveal whose they are. */
  const names = new LRUCache<string, string>({ max: MAX_KEYS });

  function nameOf({ keyHash, apiKey }: KeyHolder): string {
    const name = names.get(keyHash) ?? Buffer.from(deriveKey(apiKey, 'gate name')).toString('base64url');
    names.set(keyHash, name);
    return name;
  }

  const publish = (pairs: readonly [string, number][]) =>
    redis.run((client) => client.eval(PUBLISH, 1, NAME, channelOf(client, NAME), ...pairs.flat()));

  function onMessage(message: string): void {
    for (const [name, ms] of pairsFrom(message)) closed.extend(name, ms);
  }

  return {
    close(caller, seconds) {
      const name = nameOf(caller);
      // Many 429 at once are one message.
      const isNew = seconds > secondsFromMs(closed.leftMs(name));
      closed.extend(name, seconds * 1000);
      if (isNew) void publish([[name, seconds * 1000]]);
    },

    secondsClosed: (caller) => (closed.isEmpty() ? 0 : secondsFromMs(closed.leftMs(nameOf(caller)))),

    count: closed.count,

    subscribe: () =>
      redis.subscribe({
        name: NAME,
        onMessage,
        async resync() {
          const stored = await redis.run((client) => client.eval(READ, 1, NAME));
          if (typeof stored !== 'string') return;
          const known = new Map(pairsFrom(stored));
          const unpublished = closed
            .entries()
            .filter(([name, ms]) => ms > (known.get(name) ?? 0) + TOLERANCE_MS);
          onMessage(stored);
          if (unpublished.length > 0) await publish(unpublished.map(([name, ms]) => [name, Math.ceil(ms)]));
        },
      }),
  };
}

/** Ignores what is not a pair: other programs may publish on the channel too. */
function pairsFrom(message: string): [string, number][] {
  return [...message.matchAll(/([\w-]{43}) (\d{1,7})(?: |$)/g)]
    .map(([, name = '', ms]): [string, number] => [name, Number(ms)])
    .filter(([, ms]) => ms <= MAX_MS);
}
