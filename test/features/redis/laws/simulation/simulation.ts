import assert from 'node:assert/strict';
import { vi } from 'vitest';
import { createRandom } from '../../../../support/random.ts';
import { endDeadlines, settle } from '../../../live/engine.ts';
import { EVERY_MS, LEASE_MS, SimulatedGateway, type SimulatedStream } from './gateway.ts';
import { COMMAND_TIMEOUT_MS, RedisModel, type Variant } from './redis-model.ts';
import { type Call, RETRY_AFTER_S, Upstream } from './upstream.ts';

const keys = ['key-a', 'key-b'];
const ids = ['SITE-1', 'SITE-2'];
/** The shortest interval that jitter makes of EVERY_MS. */
const SHORTEST_MS = EVERY_MS * 0.9;
const LONGEST_MS = EVERY_MS * 1.1;
/** What may pass until each poll has gone on: a pause, a lease that is not released, a call, an interval. */
const QUIET_MS = RETRY_AFTER_S * 1000 + 2 * LEASE_MS + 3 * LONGEST_MS;
/** Those of a call and of a reader each share a timer, which goes on for a while when they are cleared. */
const DEADLINES = 2;

/** What no script of the gateway replies. */
const oddReplies: readonly unknown[] = [
  null,
  7,
  'lease',
  [],
  [[[['lease']]]],
  { kind: 'lease' },
  ['lease'],
  ['lease', 'now'],
  ['body', 1, 'not encrypted'],
  ['body', Number.NaN],
  ['failure', 1, 'of no kind'],
  ['failure', 1, ['forbidden']],
  ['wait', -1],
  ['wait', 0],
  ['wait', 1],
  ['wait', Number.NaN],
  ['wait', '1e9'],
  ['turn', Number.MAX_SAFE_INTEGER],
];

/** Runs gateways, their Redis and their upstream with the faults of a seed, on fake time. @throws what is broken */
export async function simulate(seed: number, variant?: Variant): Promise<void> {
  const { random } = Math;
  Math.random = createRandom(~seed);
  const simulation = new Simulation(createRandom(seed), variant);
  try {
    await simulation.run();
  } finally {
    simulation.close();
    endDeadlines();
    Math.random = random;
  }
}

class Simulation {
  readonly #random: () => number;
  readonly #redis: RedisModel;
  readonly #upstream: Upstream;
  readonly #gateways: SimulatedGateway[] = [];
  /** Those that ended in order, and all streams that there have been. */
  readonly #ended: SimulatedGateway[] = [];
  readonly #streams: SimulatedStream[] = [];
  /** When Redis came back without its data, or with another time. */
  readonly #forgotAtMs: number[] = [];
  #areFaults = true;
  /** How likely a loss is, and how slow Redis and the upstream are. */
  readonly #lossRate: number;
  readonly #redisMs: number;
  readonly #hangRate: number;
  readonly #oddRate: number;

  constructor(random: () => number, variant: Variant | undefined) {
    this.#random = random;
    this.#lossRate = this.#pick([0, 0, 0.02, 0.1]);
    this.#redisMs = this.#pick([1, 5, 40, 120]);
    this.#hangRate = this.#pick([0, 0, 0.05, 0.2]);
    this.#oddRate = this.#pick([0, 0, 0.05, 0.3]);
    const isLost = () => this.#areFaults && random() < this.#lossRate;
    const ms = () => random() * (this.#areFaults ? this.#redisMs / 2 : 1);
    const odd = () =>
      this.#areFaults && random() < this.#oddRate ? { reply: this.#pick(oddReplies) } : undefined;
    const fate = () => ({
      requestMs: ms(),
      replyMs: ms(),
      isRequestLost: isLost(),
      isReplyLost: isLost(),
      odd: odd(),
    });
    this.#redis = new RedisModel({ fate, variant, skewMs: this.#pick([0, 86_400_000, 12_345]) });
    const latencyMs = () => (this.#areFaults && random() < this.#hangRate ? Infinity : 10 + random() * 400);
    this.#upstream = new Upstream(latencyMs);
  }

  #pick<T>(values: readonly [T, ...T[]] | readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }

  async run(): Promise<void> {
    const gateways = 2 + Math.floor(this.#random() * 4);
    for (let n = 0; n < gateways; n += 1) this.#start();
    for (const gateway of this.#gateways) this.#open(gateway, 'key-a', 'SITE-1');
    const steps = 5 + Math.floor(this.#random() * 12);
    for (let n = 0; n < steps; n += 1) {
      this.#step();
      await advance(this.#random() * this.#pick([100, 1_000, 3_000]));
    }
    this.#areFaults = false;
    this.#redis.isDown = false;
    this.#upstream.limited.clear();
    await advance(QUIET_MS);
    this.#checkStreams();
    const quiet = this.#upstream.calls.length;
    await advance(2 * LONGEST_MS);
    this.#checkCalls();
    const alone = this.#upstream.calls.slice(quiet).filter(({ permission }) => permission === 'alone');
    assert.deepEqual(alone, [], 'a gateway goes on alone');
    for (const gateway of this.#gateways) gateway.close();
    await advance(2 * COMMAND_TIMEOUT_MS);
    this.#checkRest();
  }

  close(): void {
    for (const gateway of this.#gateways) gateway.close();
  }

  #start(): void {
    this.#gateways.push(new SimulatedGateway(this.#redis.connect(), this.#upstream));
  }

  #open(gateway: SimulatedGateway, key: string, id: string): void {
    this.#streams.push(gateway.open(key, id));
  }

  #step(): void {
    const index = Math.floor(this.#random() * this.#gateways.length);
    const gateway = this.#gateways[index] as SimulatedGateway;
    const key = this.#pick(keys);
    const streams = [...gateway.streams].filter((stream) => stream.isOpen);
    const draw = this.#random();
    if (draw < 0.25) this.#upstream.change(this.#pick(ids));
    else if (draw < 0.5) this.#open(gateway, key, this.#pick(ids));
    else if (draw < 0.6) this.#pick([...streams, undefined])?.close();
    else if (draw < 0.72) this.#restart(index, this.#random() < 0.7);
    else if (draw < 0.77) this.#toggle(this.#upstream.limited, key);
    else if (draw < 0.8) this.#revoke(key);
    else if (draw < 0.85) this.#fail();
    else if (draw < 0.9) this.#setRedisClock();
    else if (draw < 0.93) vi.setSystemTime(Date.now() + this.#pick([-3_600_000, 3_600_000]));
  }

  /** The streams of a gateway that ends are opened again at the next one that starts. */
  #restart(index: number, isKilled: boolean): void {
    const [gateway] = this.#gateways.splice(index, 1);
    if (!gateway) return;
    const streams = [...gateway.streams].filter((stream) => stream.isOpen);
    if (isKilled) gateway.kill();
    else gateway.close();
    if (!isKilled) this.#ended.push(gateway);
    this.#start();
    const next = this.#gateways.at(-1) as SimulatedGateway;
    for (const { key, id } of streams) this.#open(next, key, id);
  }

  #toggle(set: Set<string>, key: string): void {
    if (!set.delete(key)) set.add(key);
  }

  #revoke(key: string): void {
    if (!this.#upstream.revoked.has(key)) this.#upstream.revoked.set(key, performance.now());
  }

  /** Redis fails or is back, perhaps without its data. */
  #fail(): void {
    const { isDown } = this.#redis;
    this.#redis.isDown = !isDown;
    if (isDown && this.#random() < 0.5) {
      this.#redis.clear();
      this.#forgotAtMs.push(performance.now());
    }
  }

  /** Forward or back, as after a failover. */
  #setRedisClock(): void {
    this.#redis.skewMs += this.#pick([-3_600_000, -1_500, -300, 300, 1_500, 3_600_000]);
    this.#forgotAtMs.push(performance.now());
  }

  #checkStreams(): void {
    for (const { key, id, shown, isOpen, isComplete, isClosed, last } of this.#streams) {
      const others = keys.filter((other) => other !== key);
      for (const { text } of shown) {
        assert.ok(!others.some((other) => text.includes(other)), `a stream of ${key} showed ${text}`);
      }
      const revokedAtMs = this.#upstream.revoked.get(key);
      if (revokedAtMs === undefined) {
        assert.ok(!isComplete, `a stream of ${key}, which may read, has ended with ${last}`);
        if (isOpen) assert.equal(last, this.#upstream.valueOf(key, id), 'a stream is behind');
        continue;
      }
      if (!isClosed || isComplete) {
        assert.equal(last, 'UpstreamForbidden', `a stream of ${key}, which was revoked, shows something`);
        assert.ok(isComplete, `a stream of ${key}, which was revoked, goes on`);
      }
      const forbidden = shown.findIndex(({ text }) => text === 'UpstreamForbidden');
      if (forbidden !== -1) assert.equal(forbidden, shown.length - 1, 'a stream went on after a 403');
      for (const { text, atMs } of shown) {
        const isLate = text.startsWith(key) && atMs > revokedAtMs + QUIET_MS;
        assert.ok(!isLate, `a stream of ${key} showed ${text} long after it was revoked`);
      }
    }
  }

  /** Two calls with leases are an interval apart, but after an outcome that the gateways do not share. */
  #checkCalls(): void {
    const previous = new Map<string, Call>();
    for (const call of this.#upstream.calls) {
      const { key, id, atMs, permission } = call;
      if (permission === 'alone') continue;
      const before = previous.get(key + id);
      previous.set(key + id, call);
      if (!before || permission === 'awaited' || before.status !== 200) continue;
      // The body of the first is gone, or its age is not known. Age counts from the lease, one command before the call.
      const leasedAtMs = before.atMs - COMMAND_TIMEOUT_MS;
      if (this.#forgotAtMs.some((ms) => leasedAtMs <= ms && ms <= atMs)) continue;
      const apartMs = Math.round(atMs - before.atMs);
      const isSoon = apartMs < SHORTEST_MS - COMMAND_TIMEOUT_MS;
      assert.ok(!isSoon, `two polls of ${id} for ${key} within ${apartMs} ms, at ${Math.round(atMs)}`);
    }
  }

  #checkRest(): void {
    for (const gateway of [...this.#ended, ...this.#gateways]) {
      assert.deepEqual(gateway.left(), { polls: 0, used: 0, watched: 0, inFlight: 0, active: 0 });
    }
    assert.equal(this.#redis.leases(LEASE_MS), 0, 'a lease is left');
    assert.ok(vi.getTimerCount() <= DEADLINES, 'a timer is left');
    endDeadlines();
    assert.equal(vi.getTimerCount(), 0, 'a timer goes on');
  }
}

/** As `advance` of the engine, with fewer ticks: promises alone follow each other here. */
async function advance(ms: number): Promise<void> {
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, ms);
  while (!isOver) {
    await settle(1);
    vi.advanceTimersToNextTimer();
  }
  await settle(1);
}
