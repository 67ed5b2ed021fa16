import { randomUUID } from 'node:crypto';
import type { UpstreamResponse } from '../../upstream/call.ts';
import type { KeyHolder } from '../../upstream/caller.ts';
import {
  UpstreamForbidden,
  UpstreamInvalidResponse,
  UpstreamRejected,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../upstream/errors.ts';
import { wait } from '../../upstream/guards/retry.ts';
import { type Relation, relations } from '../../upstream/resources.ts';
import type { Found, Lease, PollRequest, SharedPolls } from '../live/index.ts';
import {
  type ChannelSubscriber,
  channelOf,
  LUA_NOW,
  MAX_BODY_BYTES,
  type RedisConnection,
} from './connection.ts';
import { createEncryption } from './encryption.ts';

/** How long a response is kept: longer than any interval. */
const KEPT_MS = 7_200_000;
/** How often a load looks for the outcome of another gateway's call. */
const AWAITED_MS = 100;
/** The shortest time between two looks. */
const MIN_WAIT_MS = 25;
const CHANNEL = 'portico:revoked';

/**
 * Times are those of Redis: the clocks of gateways may differ. A poll is a hash: `body` with the relations in
 * `mask` of the call that began `at`; `failure` of one that began `failedAt`; the lease with its `owner` and
 * when it `began`. KEYS[2] is the rate limiter of the key (GCRA): its `debt`, the time until the theoretical
 * arrival of the next call, as it was `at`. The clock of Redis may be set back: a time in the future is none,
 * and a debt becomes no larger.
 */
export const ACQUIRE = `${LUA_NOW}
  local mask, maxAge, owner, leaseMs, turn = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), ARGV[5]
  local apart, burst, takesFailure = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == '1'
  local function isWithin(time, ms)
    local age = now - (tonumber(time) or math.huge)
    return age >= 0 and age < ms
  end
  local p = redis.call('HMGET', KEYS[1], 'at', 'mask', 'failedAt', 'failedMask', 'failure', 'began')
  if isWithin(p[1], maxAge) and bit.band(tonumber(p[2]) or 0, mask) == mask then
    return {'body', now, redis.call('HGET', KEYS[1], 'body')}
  end
  if takesFailure and isWithin(p[3], maxAge) and (p[5] == 'forbidden' or tonumber(p[4]) == mask) then
    return {'failure', now - p[3], p[5]}
  end
  if isWithin(p[6], leaseMs) then return {'wait', p[6] + leaseMs - now} end
  local t = redis.call('HMGET', KEYS[2], 'debt', 'at')
  local debt = math.max((tonumber(t[1]) or 0) - math.max(now - (tonumber(t[2]) or now), 0), 0)
  local waits = turn == 'wait' and debt > burst
  if turn ~= 'free' then
    if not waits then debt = debt + apart end
    redis.call('HSET', KEYS[2], 'debt', debt, 'at', now)
    redis.call('PEXPIRE', KEYS[2], math.ceil(debt) + 1)
  end
  if waits then return {'turn', math.ceil(debt - burst)} end
  redis.call('HSET', KEYS[1], 'owner', owner, 'began', now)
  redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
  return {'lease', now}`;
/**
 * Stores the outcome and releases the lease, for its owner alone: it may have passed to another gateway. A
 * failure of more relations than a body has goes on.
 */
export const RELEASE = `
  if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
  local began = redis.call('HGET', KEYS[1], 'began')
  redis.call('HDEL', KEYS[1], 'owner', 'began')
  if ARGV[2] == 'body' then
    redis.call('HSET', KEYS[1], 'at', began, 'mask', ARGV[3], 'body', ARGV[4])
    local failed = tonumber(redis.call('HGET', KEYS[1], 'failedMask') or 0)
    if bit.band(failed, tonumber(ARGV[3])) == failed then
      redis.call('HDEL', KEYS[1], 'failedAt', 'failedMask', 'failure')
    end
  elseif ARGV[2] ~= '' then
    redis.call('HSET', KEYS[1], 'failedAt', began, 'failedMask', ARGV[3], 'failure', ARGV[2])
  end
  return 1`;
/** The key may not read it: nothing that was stored, or will be by a late call, is to be taken. */
export const REVOKE = `${LUA_NOW}
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'failedAt', now, 'failedMask', 0, 'failure', 'forbidden')
  redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
  return redis.call('PUBLISH', ARGV[1], ARGV[2])`;

/** `leaseMs`: the deadline of a call, after which a gateway that has exited holds no lease. */
export function createSharedPolls(redis: RedisConnection, leaseMs: number): SharedPolls & ChannelSubscriber {
  const encryption = createEncryption();
  /** By name: called when another gateway meets a 401 or 403. */
  const watchers = new Map<string, () => void>();
  const pollNameOf = (key: KeyHolder, resource: string) => encryption.nameOf(key, `poll ${resource}`);

  async function look(request: PollRequest, owner: string): Promise<Reply | undefined> {
    const { key, resource, include, intervalMs, isAwaited, turn, limit } = request;
    const names = [pollNameOf(key, resource), encryption.nameOf(key, 'turns')];
    const numbers = [maskOf(include), intervalMs, owner, leaseMs, turn, limit.apartMs, limit.burstMs];
    const args = [...names, ...numbers, isAwaited ? 0 : 1];
    return replyFrom(await redis.run((client) => client.eval(ACQUIRE, 2, ...args.map(String))));
  }

  /** Undefined for what cannot be read, and for a body that is none for this request: see `packed`. */
  function foundIn({ kind, ms, text }: Reply, request: PollRequest): Found | undefined {
    const { key, resource, include, intervalMs } = request;
    if (kind === 'failure') {
      const error = errorOf(text, leaseMs);
      return error && { ageMs: ms, error };
    }
    const entry = encryption.decrypt(key, pollNameOf(key, resource), Buffer.from(text, 'base64'));
    if (!entry) return undefined;
    const ageMs = ms - entry.storedAtMs;
    const { mask, ...found } = unpacked(entry.body, ageMs);
    const wanted = maskOf(include);
    const isUsable = ageMs >= 0 && ageMs < intervalMs && (mask & wanted) === wanted;
    return isUsable ? { ageMs, ...found, include: relationsIn(mask) } : undefined;
  }

  function leaseOf({ key, resource, include }: PollRequest, owner: string, storedAtMs: number): Lease {
    const name = pollNameOf(key, resource);
    const release = (...args: string[]) =>
      void redis.run((client) => client.eval(RELEASE, 1, name, owner, ...args));
    return {
      onResponse(response, included) {
        if (response.body.length > MAX_BODY_BYTES) return release('');
        const mask = response.status === 404 ? maskOf(relations) : maskOf(included);
        const entry = { body: packed(response, mask), storedAtMs, ttl: { freshMs: 0, staleMs: 0 } };
        release('body', String(mask), encryption.encrypt(key, name, entry).toString('base64'));
      },
      onError(error) {
        if (!(error instanceof UpstreamForbidden)) return release(kindOf(error), String(maskOf(include)));
        void redis.run((client) => client.eval(REVOKE, 1, name, channelOf(client, CHANNEL), name));
      },
    };
  }

  return {
    /** Undefined while Redis is down, and where its reply is of no use. */
    async acquire(request) {
      const { intervalMs, isAwaited, signal } = request;
      const owner = randomUUID();
      // A lease that ends may pass to another gateway once.
      const patientUntilMs = performance.now() + 2 * leaseMs;
      for (;;) {
        if (signal.aborted) throw signal.reason;
        const reply = await look(request, owner);
        const lease = reply?.kind === 'lease' ? leaseOf(request, owner, reply.ms) : undefined;
        if (signal.aborted) {
          lease?.onError(signal.reason);
          throw signal.reason;
        }
        if (!reply || lease) return lease && { lease };
        if (reply.kind === 'body' || reply.kind === 'failure') {
          const found = foundIn(reply, request);
          return found && { found };
        }
        const isOfLease = reply.kind === 'wait';
        if (isOfLease && performance.now() > patientUntilMs) return undefined;
        const againMs = isOfLease ? Math.min(intervalMs / 10, isAwaited ? AWAITED_MS : leaseMs) : leaseMs;
        const waitMs = Math.max(Math.min(reply.ms, againMs), MIN_WAIT_MS) * (0.9 + Math.random() * 0.2);
        await new Promise<void>((resolve) => wait(waitMs, signal, resolve));
      }
    },

    watch(key, resource, onRevoked) {
      const name = pollNameOf(key, resource);
      watchers.set(name, onRevoked);
      return () => {
        if (watchers.get(name) === onRevoked) watchers.delete(name);
      };
    },

    /** Subscribes to what other gateways meet. */
    subscribe: () =>
      redis.subscribe({
        name: CHANNEL,
        onMessage: (name) => watchers.get(name)?.(),
        // What was missed is found by the next look of each poll.
        resync: async () => {},
      }),
  };
}

function maskOf(include: readonly Relation[]): number {
  return relations.reduce((mask, relation, n) => mask | (include.includes(relation) ? 1 << n : 0), 0);
}

function relationsIn(mask: number): readonly Relation[] {
  return relations.filter((_, n) => mask & (1 << n));
}

/** What ACQUIRE replies: `ms` is the time of Redis, of a `failure` its age, of a `wait` and a `turn` how long. */
interface Reply {
  kind: 'body' | 'failure' | 'wait' | 'turn' | 'lease';
  ms: number;
  /** Of a body or failure. */
  text: string;
}

/** Undefined for every other reply: that of another program, or of a server that is broken. */
function replyFrom(reply: unknown): Reply | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [kind, ms, text = ''] = reply;
  const isKnown = ['body', 'failure', 'wait', 'turn', 'lease'].includes(kind);
  return isKnown && Number.isSafeInteger(ms) && ms >= 0 && typeof text === 'string'
    ? { kind, ms, text }
    : undefined;
}

/**
 * The body after its relations and what the REST API said with it: all of that is encrypted, with the time of
 * the call. Whoever can write to Redis makes no old body current by it, and none of other relations.
 */
function packed({ status, notices, body }: UpstreamResponse, mask: number): Buffer {
  const head = JSON.stringify({ status, mask, quota: notices?.quota, reservedMs: notices?.reservedMs });
  return Buffer.concat([Buffer.from(`${head}\n`), body]);
}

function unpacked(bytes: Buffer, ageMs: number) {
  const end = bytes.indexOf('\n');
  const { status, mask, quota, reservedMs = 0 } = JSON.parse(bytes.toString('utf8', 0, end));
  const body = bytes.subarray(end + 1);
  if (!quota) return { status, mask, body, notices: null };
  const resetSeconds = quota.resetSeconds === null ? null : Math.max(quota.resetSeconds - ageMs / 1000, 0);
  const left = { ...quota, resetSeconds: resetSeconds === null ? null : Math.ceil(resetSeconds) };
  const notices = { quota: left, reservedMs: Math.max(reservedMs - ageMs, 0), deprecation: null };
  return { status, mask, body, notices };
}

/** Empty: the failure is this gateway's own, or closes the gate of the key in all of them. */
function kindOf(error: Error): string {
  if (error instanceof UpstreamTimeout) return 'timeout';
  if (error instanceof UpstreamInvalidResponse) return 'invalid';
  if (!(error instanceof UpstreamUnavailable) || error instanceof UpstreamRejected) return '';
  return error.status === null ? 'unreachable' : `unavailable ${error.retryAfter ?? ''}`;
}

/** Undefined for a text that `kindOf` does not return. */
function errorOf(kind: string, timeoutMs: number): Error | undefined {
  if (kind === 'forbidden') return new UpstreamForbidden();
  if (kind === 'timeout') return new UpstreamTimeout(timeoutMs);
  if (kind === 'invalid') return new UpstreamInvalidResponse('another gateway has received it');
  if (kind === 'unreachable') return new UpstreamUnavailable(null);
  const [, seconds] = /^unavailable (\d{0,4})$/.exec(kind) ?? [];
  if (seconds === undefined) return undefined;
  return new UpstreamUnavailable(503, {}, seconds === '' ? undefined : Number(seconds));
}
