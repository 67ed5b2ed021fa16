import { LRUCache } from 'lru-cache';
import type { Gates, Holder } from './gates.ts';
import { secretFrom } from './secret.ts';
import type { Store } from './store.ts';
import { channelOf } from './store.ts';
import { createWaits, secondsFromMs } from './waits.ts';

/** Gates that close in every gateway when they close in one. Whether one is closed is known here, without asking. */
export interface SharedGates extends Gates {
  /** Hears from now on which gates others close. Settles when those are known that are closed already, if they can be. */
  follow(): Promise<void>;
}

const NAME = 'portico:gates';
const MAX_CALLERS = 10_000;
/** A Retry-After is never held to longer. */
const LONGEST_MS = 3_600_000;
/** What two know of one gate differs by the way between them. */
const SAME_MS = 1_000;

/**
 * All gates are one sorted set, each with the time at which it opens, by the clock of the store: those of the machines need
 * not agree. What is said and read are pairs of a name and the milliseconds that are left.
 */
const now = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
const TELL = `${now}
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  for i = 2, #ARGV, 2 do
    local at, known = now + ARGV[i + 1], redis.call('ZSCORE', KEYS[1], ARGV[i])
    if not known or tonumber(known) < at then redis.call('ZADD', KEYS[1], at, ARGV[i]) end
  end
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -${MAX_CALLERS + 1})
  redis.call('PEXPIRE', KEYS[1], ${LONGEST_MS})
  redis.call('PUBLISH', ARGV[1], table.concat(ARGV, ' ', 2))`;
const READ = `${now}
  local found = redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf', 'WITHSCORES')
  for i = 2, #found, 2 do found[i] = string.format('%d', found[i] - now) end
  return table.concat(found, ' ')`;

export function createSharedGates(store: Store): SharedGates {
  /** By names that only the key gives, as in the shared cache: the store alone tells nobody whose gate it is. */
  const waits = createWaits();
  const names = new LRUCache<string, string>({ max: MAX_CALLERS });

  function nameOf({ owner, apiKey }: Holder): string {
    const name = names.get(owner) ?? Buffer.from(secretFrom(apiKey, 'gate name')).toString('base64url');
    names.set(owner, name);
    return name;
  }

  const tell = (pairs: readonly [string, number][]) =>
    store.ask((redis) => redis.eval(TELL, 1, NAME, channelOf(redis, NAME), ...pairs.flat()));

  function hear(said: string): void {
    for (const [name, ms] of pairsFrom(said)) waits.extend(name, ms);
  }

  return {
    close(caller, seconds) {
      const name = nameOf(caller);
      // One storm of refusals is one word to the others.
      const isNews = seconds > secondsFromMs(waits.leftMs(name));
      waits.extend(name, seconds * 1000);
      if (isNews) void tell([[name, seconds * 1000]]);
    },

    secondsClosed: (caller) => (waits.isOver() ? 0 : secondsFromMs(waits.leftMs(nameOf(caller)))),

    count: waits.count,

    follow: () =>
      store.follow({
        name: NAME,
        hear,
        async catchUp() {
          const said = await store.ask((redis) => redis.eval(READ, 1, NAME));
          if (typeof said !== 'string') return;
          const known = new Map(pairsFrom(said));
          const untold = waits.all().filter(([name, ms]) => ms > (known.get(name) ?? 0) + SAME_MS);
          hear(said);
          if (untold.length > 0) await tell(untold.map(([name, ms]) => [name, Math.ceil(ms)]));
        },
      }),
  };
}

/** Others may write there too: what is no pair is passed over. */
function pairsFrom(said: string): [string, number][] {
  return [...said.matchAll(/([\w-]{43}) (\d{1,7})(?: |$)/g)]
    .map(([, name = '', ms]): [string, number] => [name, Number(ms)])
    .filter(([, ms]) => ms <= LONGEST_MS);
}
