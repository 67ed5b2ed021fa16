import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Aborter } from '../../../src/abort.ts';
import { createRedisConnection } from '../../../src/features/redis/connection.ts';
import { createSharedPolls } from '../../../src/features/redis/shared-polls.ts';
import type { UpstreamCall } from '../../../src/upstream/caller.ts';
import { passTime } from '../../reference/support/clock.ts';
import { startClient } from '../../support/client.ts';
import { apiKey } from '../../support/gateway.ts';
import { keyHolderOf } from '../../support/key-holder.ts';
import { encoded, nested, type Reply, startOddRedis } from '../../support/odd-redis.ts';
import { startRelay } from '../../support/relay.ts';
import { sendSite, startUpstream } from '../../support/upstream.ts';

const LEASE_MS = 200;

/** The cache, the gate and the polls of a gateway before a Redis that replies what the test sets. */
async function start(reply: string) {
  const redis = await startOddRedis();
  const upstream = await startUpstream(sendSite);
  const settings = { CACHE_TTL_MS: '60000', CACHE_URL: redis.url, retryPercent: 0 };
  const client = startClient(upstream.url, settings);
  await client.join();
  const connection = createRedisConnection(redis.url, () => {});
  onTestFinished(() => connection.close());
  const polls = createSharedPolls(connection, LEASE_MS);
  await polls.subscribe();
  redis.state.reply = reply;
  const get = async () => {
    const sources: UpstreamCall['source'][] = [];
    const caller = { ...client.caller, report: ({ source }: UpstreamCall) => sources.push(source) };
    const site = await client.getSite(caller, 'SITE-1', []);
    return { id: site?.id, sources };
  };
  const acquire = (signal = new Aborter()) =>
    polls.acquire({
      key: keyHolderOf(apiKey),
      resource: '/v1/site/SITE-1',
      include: [],
      intervalMs: 60_000,
      isAwaited: true,
      turn: 'wait',
      limit: { apartMs: 1_000, burstMs: 6_000 },
      signal,
    });
  /** Has Redis executed a command, whatever it replies: both connections are open. */
  const counted = async (name: string, count: number) =>
    vi.waitFor(
      () => expect(redis.commands.filter((one) => one === name).length).toBeGreaterThanOrEqual(count),
      10_000,
    );
  return { redis, upstream, client, get, acquire, counted };
}

const served = { id: 'SITE-1', sources: ['network'] };
const oddReplies: [string, string][] = [
  ['20,000 nested lists', nested(20_000)],
  ['20,000 nested lists in a list', `*2\r\n${encoded('body')}${nested(20_000)}`],
  ['a few nested lists', encoded([[[[['lease', 1]]]]])],
  ...[null, 7, -1, 'text', [], [7], [null], [['lease']], ['lease'], ['lease', 'now'], ['lease', -1]].map(
    (reply: Reply): [string, string] => [JSON.stringify(reply), encoded(reply)],
  ),
  ...[
    ['body', 1],
    ['body', 1, 7],
    ['body', 1, 'x'],
    ['body', '', ['x']],
    ['failure', 1, 'x'],
    ['failure', 1, ['x']],
  ].map((reply: Reply): [string, string] => [JSON.stringify(reply), encoded(reply)]),
  ...[
    ['wait', -5],
    ['wait', 'x'],
    ['wait', null],
    ['turn', ['x']],
    ['other', 5],
  ].map((reply: Reply): [string, string] => [JSON.stringify(reply), encoded(reply)]),
  ['an error', '-ERR no\r\n'],
  ['an empty error', '-\r\n'],
  ['a status', '+OK\r\n'],
  ['a number that is none', ':x\r\n'],
  ['bytes that are no reply', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
];

describe('a reply of Redis that is odd', () => {
  it.each(oddReplies)('is a miss for the cache, the gate and the polls: %s', async (_, reply) => {
    const { upstream, redis, client, get, acquire, counted } = await start(reply);
    for (let n = 0; n < 3; n += 1) {
      expect(await get()).toEqual(served);
      expect(await acquire()).toBeUndefined();
    }
    await client.join();
    expect(upstream.paths()).toEqual(Array(3).fill('/v1/site/SITE-1'));
    // They were asked for.
    await counted('mget', 1);
    await counted('eval', 1);
    // Redis is asked again once it replies as it should.
    redis.state.reply = encoded([null]);
    await vi.waitFor(async () => {
      const before = redis.commands.filter((name) => name === 'mget').length;
      expect(await get()).toEqual(served);
      expect(redis.commands.filter((name) => name === 'mget').length).toBeGreaterThan(before);
    }, 10_000);
  });

  it.each<[string, Reply]>([
    ['no time', ['wait', 0]],
    ['a millisecond', ['wait', 1]],
    ['centuries', ['wait', Number.MAX_SAFE_INTEGER]],
  ])('makes a poll wait for at most two deadlines of a call, and look seldom: %s', async (_, reply) => {
    const { redis, acquire, counted } = await start(encoded(reply));
    await counted('info', 2);
    const startedAtMs = performance.now();
    expect(await acquire()).toBeUndefined();
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(2 * LEASE_MS);
    // A look every 22 ms.
    expect(redis.commands.filter((name) => name === 'eval').length).toBeLessThan(25);
  });

  it.each<[string, string]>([
    ['without a channel', encoded(['message'])],
    ['without a text', encoded(['message', 'portico:rate-limited@0'])],
    ['that is a number', encoded(['message', 'portico:rate-limited@0', 7])],
    ['on a channel that is a number', encoded(['message', 7, 7])],
    ['of lists', encoded(['message', ['x'], [['x']]])],
    ['of 20,000 nested lists', `*3\r\n${encoded('message')}${encoded('x')}${nested(20_000)}`],
    ['of no kind', encoded([null, null])],
    ['that is no list', encoded('message')],
  ])('is no message: %s', async (_, message) => {
    const { redis, get, counted } = await start(encoded([null]));
    await counted('subscribe', 2);
    expect(redis.send(message)).toBe(2);
    // A subscription that has ended begins again.
    await vi.waitFor(() => expect(redis.send(encoded(['message', 'other', 'x']))).toBe(2), 10_000);
    expect(await get()).toEqual(served);
  });
});

it('logs a rejection of commands again after a minute in which Redis accepted them', async () => {
  const redis = await startOddRedis();
  const faults: string[] = [];
  const connection = createRedisConnection(redis.url, ({ message }) => faults.push(message));
  onTestFinished(() => connection.close());
  await vi.waitFor(async () => expect(await connection.run((one) => one.ping())).toBe('PONG'), 10_000);
  const writes = async (reply: string) => {
    redis.state.reply = reply;
    await connection.run((one) => one.set('portico:a', 'b'));
    await connection.run((one) => one.ping());
  };
  const rejection = '-READONLY You can not write against a read only replica.\r\n';
  for (const reply of [rejection, rejection, '+OK\r\n', rejection]) await writes(reply);
  expect(faults).toEqual(['CACHE_URL rejects commands: not everything is shared']);
  passTime(61);
  await writes(rejection);
  await writes(rejection);
  expect(faults).toHaveLength(2);
});

it('opens rediss: with TLS however it is written', async () => {
  const redis = await startOddRedis();
  const faults: string[] = [];
  const url = redis.url.replace('redis://', 'REDISS://user:secret@');
  const connection = createRedisConnection(url, ({ message }) => faults.push(message));
  onTestFinished(() => connection.close());
  await vi.waitFor(async () => {
    expect(await connection.run((one) => one.ping())).toBeUndefined();
    expect(faults).toHaveLength(1);
  }, 10_000);
  expect(redis.commands).toEqual([]);
});

describe('a database that Redis rejects', () => {
  it.each([
    ['at the start', '-ERR DB index is out of range\r\n'],
    ['after a reconnect', "-NOPERM User portico has no permissions to run the 'select' command\r\n"],
  ])('is read, written and subscribed to by nobody, and no other is instead: %s', async (when, rejection) => {
    const redis = await startOddRedis();
    const relay = await startRelay(new URL(redis.url));
    const upstream = await startUpstream(sendSite);
    const isLater = when !== 'at the start';
    redis.state.reply = isLater ? '+OK\r\n' : rejection;
    const settings = { CACHE_TTL_MS: '60000', CACHE_URL: `${relay.url}16`, retryPercent: 0 };
    const client = startClient(upstream.url, settings);
    await client.join();
    if (isLater) {
      await vi.waitFor(() => expect(redis.commands).toContain('subscribe'), 10_000);
      redis.state.reply = rejection;
      await relay.cut();
      await relay.mend();
    }
    const attempts = () => redis.commands.filter((name) => name === 'select').length;
    const [before, from] = [attempts(), redis.commands.length];
    await vi.waitFor(async () => {
      await client.getSite(client.caller, 'SITE-1', []);
      expect(attempts()).toBeGreaterThan(before + 4);
    }, 10_000);
    const handshake = ['auth', 'select', 'client', 'info'];
    expect(redis.commands.slice(from).filter((name) => !handshake.includes(name))).toEqual([]);
    const fault = isLater ? 'CACHE_URL is unreachable' : 'CACHE_URL rejects database 16';
    expect(client.faults).toEqual([`${fault}: responses and rate limits are not shared`]);
  });
});
