import { expect, it, vi } from 'vitest';
import { createRedisConnection } from '../../../src/features/redis/connection.ts';
import { passTime } from '../../reference/support/clock.ts';
import { isInstalled } from '../../support/files.ts';
import { encoded, nested, type Reply, silent, startOddRedis } from '../../support/odd-redis.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { startRelay } from '../../support/relay.ts';
import { isShared, startSharing, startSites } from './support.ts';

const BACK_MS = 15_000;
const notShared = /^CACHE_URL fails \((\w+)\): responses and rate limits are not shared$/;

interface Fault {
  begin(): unknown;
  end(): unknown;
}

/**
 * Two gateways that share: while the fault lasts each request has its data, after it they share again, and each has
 * logged it once at most. Returns the codes that were logged.
 */
async function expectOver(url: string, { begin, end }: Fault): Promise<string[]> {
  const upstream = await startSites();
  const env = { CACHE_TTL_MS: '60000' };
  const gateways = [startSharing(upstream.url, url, env), startSharing(upstream.url, url, env)] as const;
  await expect.poll(() => isShared(...gateways)).toBe(true);
  await begin();
  for (let n = 0; n < 20; n += 1) {
    for (const { get } of gateways) {
      const id = `SITE-${n}`;
      expect(await get(id)).toMatchObject({ outcome: { id } });
    }
  }
  await end();
  await expect.poll(() => isShared(...gateways), { timeout: BACK_MS }).toBe(true);
  return gateways.flatMap(({ faults }) => {
    expect(faults.length).toBeLessThanOrEqual(1);
    return faults.map((fault) => notShared.exec(fault)?.[1] ?? fault);
  });
}

type Server = Awaited<ReturnType<typeof startRedisServer>>;
type FaultOf = (redis: Server) => (Fault & { url?: string }) | Promise<Fault & { url?: string }>;

it.skipIf(!isInstalled('redis-server')).each<[string, FaultOf, code?: string]>([
  ['killed and started again', ({ kill, restart }) => ({ begin: kill, end: restart })],
  ['silent', ({ stop, resume }) => ({ begin: stop, end: resume })],
  [
    'unreachable',
    async ({ url }) => {
      const { cut, mend, ...relay } = await startRelay(new URL(url));
      return { ...relay, begin: cut, end: mend };
    },
  ],
  [
    'out of memory',
    ({ admin }) => ({
      begin: () => admin.config('SET', 'maxmemory', '1'),
      end: () => admin.config('SET', 'maxmemory', '0'),
    }),
    'OOM',
  ],
  [
    'a replica that becomes a primary',
    ({ admin }) => ({
      begin: () => admin.replicaof('127.0.0.1', 1),
      end: () => admin.replicaof('NO', 'ONE'),
    }),
    'READONLY',
  ],
  [
    'a failover whose former primary keeps the connections',
    async (former) => {
      const next = await startRedisServer();
      const address = new URL(former.url);
      const { url } = await startRelay(address);
      const begin = async () => {
        await former.admin.replicaof('127.0.0.1', next.port);
        address.port = String(next.port);
      };
      return { url, begin, end() {} };
    },
    'READONLY',
  ],
])('a fault of a Redis is a miss, and over when it is over: %s', async (_, faultOf, code) => {
  const redis = await startRedisServer();
  const { url = redis.url, ...fault } = await faultOf(redis);
  expect(await expectOver(url, fault)).toEqual(Array(2).fill(code ?? expect.any(String)));
});

const values: Reply[] = [null, 7, [], [[[[[1]]]]]];
it.each<[string, string]>([
  ['none', silent],
  ['LOADING', '-LOADING Redis is loading the dataset in memory\r\n'],
  ['20,000 nested lists in a list', `*2\r\n${encoded('body')}${nested(20_000)}`],
  ...values.map((value): [string, string] => [JSON.stringify(value), encoded(value)]),
  ['an error', '-ERR no\r\n'],
  ['a number that is none', ':x\r\n'],
  ['two replies', '+OK\r\n+OK\r\n'],
  ['bytes that are no reply', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
])('a reply that is odd is a miss, and over when it is over: %s', async (_, reply) => {
  const { url, state } = await startOddRedis();
  const set = (value?: string) => () => {
    state.reply = value;
  };
  await expectOver(url, { begin: set(reply), end: set() });
});

it('asks a Redis that is silent three times at most until it has replied', async () => {
  const { url, state, commands } = await startOddRedis();
  const upstream = await startSites();
  const { get } = startSharing(upstream.url, url, { CACHE_TTL_MS: '60000' });
  let connecting = 0;
  while (!commands.includes('mget')) await get(`SITE-C${++connecting}`);
  state.reply = silent;
  const before = commands.length;
  for (let n = 0; n < 100; n += 1) expect(await get(`SITE-${n}`)).toMatchObject({ source: 'network' });
  const asked = commands.slice(before).filter((name) => name === 'mget');
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(3);
});

it('logs a fault again after a minute without one, and never a password', async () => {
  const redis = await startOddRedis();
  const faults: string[] = [];
  const url = redis.url.replace('redis://', 'redis://user:secret@');
  const connection = createRedisConnection(url, ({ message }) => faults.push(message));
  await expect.poll(() => connection.run((client) => client.mget('a'))).toEqual([null]);
  redis.state.reply = '-OOM command not allowed by user:secret\r\n';
  for (const passed of [0, 0, 61, 0]) {
    passTime(passed);
    await connection.run((client) => client.set('a', 'b'));
  }
  connection.close();
  expect(faults).toEqual(Array(2).fill(expect.stringMatching(/\(OOM\)/)));
  expect(String(faults)).not.toContain('secret');
});

it('opens rediss: with TLS however it is written', async () => {
  const redis = await startOddRedis();
  const onFault = vi.fn();
  const connection = createRedisConnection(redis.url.replace('redis://', 'REDISS://'), onFault);
  await connection.run((client) => client.ping());
  await expect.poll(() => onFault.mock.calls.length).toBe(1);
  connection.close();
  expect(redis.commands).toEqual([]);
});
