import type { Redis } from 'ioredis';
import type { RedisConnection } from '../../../../../src/features/redis/connection.ts';
import { ACQUIRE, RELEASE, REVOKE } from '../../../../../src/features/redis/shared-polls.ts';

/** As in redis.ts: how long a command may take, and how long a connection that was late is reopened. */
export const COMMAND_TIMEOUT_MS = 100;
const RECONNECT_MS = 50;
/** How much later than a command a message comes: no time limit applies to it. */
const MESSAGE_DELAY = 20;

/** A time of its clock from which no step leads below zero. */
const EPOCH_MS = 1_772_460_300_000;

/** Scripts as they must not be, each of which a simulation has to find. */
export type Variant = 'releases any lease' | 'never takes over' | 'looks once' | 'takes a time in the future';

/** What happens to one command, or to one message. */
export interface Fate {
  /** On the way there, and on the way back. In milliseconds. */
  requestMs: number;
  replyMs: number;
  isRequestLost: boolean;
  isReplyLost: boolean;
  /** Replaces the reply, or the message. */
  odd?: { reply: unknown } | undefined;
}

export interface RedisOptions {
  /** Drawn for each command, and for each message that a subscriber gets. */
  fate(): Fate;
  variant?: Variant | undefined;
  /** How far its clock is ahead of that of the gateways. In milliseconds. */
  skewMs?: number;
}

type Hash = Map<string, string>;
type Subscription = Parameters<RedisConnection['subscribe']>[0];

/** A Redis that knows the three scripts of the shared polls, on the fake clock. */
export class RedisModel {
  isDown = false;
  /** How far its clock is ahead of that of the gateways. In milliseconds. */
  skewMs: number;
  readonly #options: RedisOptions;
  readonly #hashes = new Map<string, Hash>();
  /** The rate limiters, by name. */
  readonly #limiters = new Map<string, { debt: number; at: number }>();
  /** The owners that have been told to wait. */
  readonly #waiting = new Set<string>();
  readonly #connections = new Set<ModelConnection>();

  constructor(options: RedisOptions) {
    this.#options = options;
    this.skewMs = options.skewMs ?? 0;
  }

  get nowMs(): number {
    return Math.floor(EPOCH_MS + performance.now() + this.skewMs);
  }

  /** How many leases of `leaseMs` are valid. */
  leases(leaseMs: number): number {
    return [...this.#hashes.values()].filter((hash) => this.#ageOf(hash, 'began') < leaseMs).length;
  }

  get fate(): Fate {
    return this.#options.fate();
  }

  connect(): ModelConnection {
    const connection = new ModelConnection(this);
    this.#connections.add(connection);
    return connection;
  }

  /** A restart without a copy on disk. */
  clear(): void {
    this.#hashes.clear();
    this.#limiters.clear();
  }

  /** In milliseconds; Infinity for none, and for a time in the future. */
  #ageOf(hash: Hash, field: string): number {
    const age = hash.has(field) ? this.nowMs - Number(hash.get(field)) : Infinity;
    return age >= 0 || this.#options.variant === 'takes a time in the future' ? age : Infinity;
  }

  /** Runs a script at once; undefined for another one. */
  eval(script: string, keys: number, ...args: string[]): unknown {
    const [names, values] = [args.slice(0, keys), args.slice(keys)];
    if (script === ACQUIRE) return this.#acquire(names, values);
    if (script === RELEASE) return this.#release(names, values);
    if (script === REVOKE) return this.#revoke(names, values);
    throw new Error('The model does not know this script.');
  }

  #acquire([name = '', turns = '']: string[], values: string[]): unknown[] {
    const [mask = 0, maxAge = 0, , leaseMs = 0, , apart = 0, burst = 0] = values.map(Number);
    const [owner = '', turn, takesFailure] = [values[2], values[4], values[7] === '1'];
    const { variant } = this.#options;
    const now = this.nowMs;
    const hash = this.#hashes.get(name) ?? new Map<string, string>();
    const ageOf = (field: string) => this.#ageOf(hash, field);
    const looks = variant !== 'looks once' || !this.#waiting.has(owner);
    if (looks && ageOf('at') < maxAge && (Number(hash.get('mask')) & mask) === mask) {
      return ['body', now, hash.get('body')];
    }
    const isOfMask = hash.get('failure') === 'forbidden' || Number(hash.get('failedMask')) === mask;
    if (looks && takesFailure && ageOf('failedAt') < maxAge && isOfMask) {
      return ['failure', ageOf('failedAt'), hash.get('failure')];
    }
    const isHeld = ageOf('began') < leaseMs;
    if (isHeld || (hash.has('began') && variant === 'never takes over')) {
      this.#waiting.add(owner);
      return ['wait', Math.max(leaseMs - ageOf('began'), 1)];
    }
    const limiter = this.#limiters.get(turns) ?? { debt: 0, at: now };
    const debt = Math.max(limiter.debt - Math.max(now - limiter.at, 0), 0);
    const waits = turn === 'wait' && debt > burst;
    if (turn !== 'free') this.#limiters.set(turns, { debt: waits ? debt : debt + apart, at: now });
    if (waits) return ['turn', Math.ceil(debt - burst)];
    hash.set('owner', owner).set('began', String(now));
    this.#hashes.set(name, hash);
    return ['lease', now];
  }

  #release([name = '']: string[], [owner, kind = '', mask = '', body = '']: string[]): number {
    const hash = this.#hashes.get(name);
    const isOwner = hash?.get('owner') === owner;
    if (!hash || (!isOwner && this.#options.variant !== 'releases any lease')) return 0;
    const began = hash.get('began') ?? '0';
    for (const field of ['owner', 'began']) hash.delete(field);
    if (kind === 'body') {
      hash.set('at', began).set('mask', mask).set('body', body);
      const failed = Number(hash.get('failedMask') ?? 0);
      const isOver = (failed & Number(mask)) === failed;
      if (isOver) for (const field of ['failedAt', 'failedMask', 'failure']) hash.delete(field);
    } else if (kind !== '') hash.set('failedAt', began).set('failedMask', mask).set('failure', kind);
    if (hash.size === 0) this.#hashes.delete(name);
    return 1;
  }

  #revoke([name = '']: string[], [, message = '']: string[]): number {
    const fields = { failedAt: String(this.nowMs), failedMask: '0', failure: 'forbidden' };
    this.#hashes.set(name, new Map(Object.entries(fields)));
    const listeners = [...this.#connections].flatMap(({ subscriptions }) => subscriptions);
    for (const { onMessage } of listeners) {
      const { requestMs, isRequestLost, odd } = this.fate;
      const text = odd ? String(odd.reply) : message;
      if (!isRequestLost && !this.isDown) setTimeout(() => onMessage(text), requestMs * MESSAGE_DELAY);
    }
    return listeners.length;
  }
}

/** Of one gateway. */
export class ModelConnection implements RedisConnection {
  /** The gateway has exited: no command ends, and no message comes. */
  isDead = false;
  subscriptions: Subscription[] = [];
  readonly #redis: RedisModel;
  #reopensAtMs = 0;

  constructor(redis: RedisModel) {
    this.#redis = redis;
  }

  async run<T>(command: (client: Redis) => Promise<T>): Promise<T | undefined> {
    const isClosed = performance.now() < this.#reopensAtMs;
    if (!this.isDead && (this.#redis.isDown || isClosed)) return undefined;
    const evaluate = (...args: Parameters<RedisModel['eval']>) => this.#send(args);
    return command({ options: {}, eval: evaluate } as unknown as Redis);
  }

  #send(args: Parameters<RedisModel['eval']>): Promise<unknown> {
    return new Promise((resolve) => {
      if (this.isDead) return;
      const { requestMs, replyMs, isRequestLost, isReplyLost, odd } = this.#redis.fate;
      const end = (reply: unknown) => {
        clearTimeout(late);
        if (!this.isDead) resolve(reply);
      };
      const late = setTimeout(() => {
        this.#reopensAtMs = performance.now() + RECONNECT_MS;
        end(undefined);
      }, COMMAND_TIMEOUT_MS);
      if (isRequestLost) return;
      setTimeout(() => {
        if (this.#redis.isDown) return;
        const reply = this.#redis.eval(...args);
        if (!isReplyLost) setTimeout(end, replyMs, odd ? odd.reply : reply);
      }, requestMs);
    });
  }

  async subscribe(subscription: Subscription): Promise<void> {
    this.subscriptions.push({
      ...subscription,
      onMessage: (message) => {
        if (!this.isDead) subscription.onMessage(message);
      },
    });
  }

  close(): void {
    this.subscriptions = [];
  }
}
