import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { UpstreamCall } from '../../src/upstream/caller.ts';
import { CallBudget } from '../../src/upstream/caller.ts';
import { UpstreamInvalidResponse, UpstreamTimeout, UpstreamUnavailable } from '../../src/upstream/errors.ts';
import { startClient } from '../support/client.ts';
import type { TestSettings } from '../support/gateway.ts';
import { bareSite, closed, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

type End = (res: ServerResponse, socket: Socket) => unknown;

const site = JSON.stringify(bareSite('SITE-1'));

/**
 * An upstream that responds `responses` times on a connection, and then ends it with `end`; and a client with
 * one connection and no retries.
 */
async function start(end: End, { responses = 1, env = {} }: { responses?: number; env?: TestSettings } = {}) {
  const counts = new Map<Socket, number>();
  /** The number of the connection of each request. */
  const connections: number[] = [];
  const upstream = await startUpstream((req, res) => {
    const count = counts.get(req.socket) ?? 0;
    counts.set(req.socket, count + 1);
    connections.push([...counts.keys()].indexOf(req.socket) + 1);
    if (count < responses) sendJson(res, bareSite(siteFromPath(req.url ?? '').id));
    else end(res, req.socket);
  });
  const client = startClient(upstream.url, { UPSTREAM_CONNECTIONS: '1', retryPercent: 0, ...env });
  const reported: UpstreamCall[] = [];
  const caller = { ...client.caller, report: (call: UpstreamCall) => reported.push(call) };
  const get = (id = 'SITE-1', of = caller) => client.getSite(of, id, []);
  return { upstream, connections, reported, get, client };
}

const endings: [string, End][] = [
  ['closes', (_, socket) => socket.end()],
  ['destroys', (_, socket) => socket.destroy()],
  ['resets', (_, socket) => socket.resetAndDestroy()],
];

it.each(endings)(
  'repeats the call on a new connection where the upstream %s one that had responded',
  async (_, end) => {
    const { upstream, connections, reported, get } = await start(end);
    expect(await get('SITE-1')).toMatchObject({ id: 'SITE-1' });
    expect(await get('SITE-2')).toMatchObject({ id: 'SITE-2' });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2', '/v1/site/SITE-2']);
    expect(connections).toEqual([1, 1, 2]);
    expect(reported).toMatchObject([
      { path: '/v1/site/SITE-1', source: 'network', status: 200 },
      { path: '/v1/site/SITE-2', source: 'network', status: 200 },
    ]);
  },
);

it('repeats every such call, outside the retry budget', async () => {
  const { upstream, get } = await start((_, socket) => socket.destroy());
  for (let n = 0; n < 30; n += 1) expect(await get()).toMatchObject({ id: 'SITE-1' });
  expect(upstream.requests).toHaveLength(1 + 29 * 2);
});

it.each(endings)('does not repeat the call where the upstream %s a new connection', async (_, end) => {
  const { upstream, reported, get } = await start(end, { responses: 0 });
  await expect(get()).rejects.toBeInstanceOf(UpstreamUnavailable);
  expect(upstream.requests).toHaveLength(1);
  expect(reported).toMatchObject([{ source: 'network', status: null }]);
});

it.each<[string, End]>([
  ['resets the next connection too', (_, socket) => socket.resetAndDestroy()],
  ['responds with 503', (res) => sendJson(res, {}, 503)],
])('makes no third call, and counts one, where the upstream then %s', async (_, end) => {
  const { upstream, reported, client } = await start(() => {}, {
    env: { retryPercent: 100 },
  });
  const budget = new CallBudget(10);
  const caller = { ...client.caller, budget, report: (call: UpstreamCall) => reported.push(call) };
  await client.getSite(caller, 'SITE-1', []);
  let requests = 0;
  upstream.server.removeAllListeners('request').on('request', (req, res) => {
    requests += 1;
    if (requests === 1) req.socket.resetAndDestroy();
    else end(res, req.socket);
  });
  await expect(client.getSite(caller, 'SITE-1', [])).rejects.toBeInstanceOf(UpstreamUnavailable);
  expect(requests).toBe(2);
  expect(budget.used).toBe(2);
  expect(reported).toHaveLength(2);
});

it.each<[string, End, new (...args: never[]) => Error]>([
  [
    'an interim response',
    (res) => res.writeEarlyHints({ link: '</a>' }, () => res.destroy()),
    UpstreamUnavailable,
  ],
  ['a byte', (_, socket) => socket.write('H', () => socket.destroy()), UpstreamUnavailable],
  [
    'half a head',
    (_, socket) => socket.write('HTTP/1.1 200 OK\r\nx-', () => socket.end()),
    UpstreamUnavailable,
  ],
  [
    'a head',
    (res) => {
      res.writeHead(200, { 'content-length': site.length }).flushHeaders();
      setImmediate(() => res.destroy());
    },
    UpstreamInvalidResponse,
  ],
  [
    'half a body',
    (res) => {
      res.writeHead(200, { 'content-length': site.length });
      res.write(site.slice(0, 9), () => res.destroy());
    },
    UpstreamInvalidResponse,
  ],
])('does not repeat the call when %s of the response has come', async (_, end, failure) => {
  const { upstream, connections, get } = await start(end);
  await get();
  await expect(get()).rejects.toBeInstanceOf(failure);
  expect(upstream.requests).toHaveLength(2);
  expect(connections).toEqual([1, 1]);
});

it('repeats within the deadline of the call', async () => {
  const held: ServerResponse[] = [];
  const stage = await start((_, socket) => socket.destroy(), { env: { UPSTREAM_TIMEOUT_MS: '200' } });
  await stage.get();
  stage.upstream.server.removeAllListeners('request');
  stage.upstream.server.on('request', (req, res) => {
    held.push(res);
    if (held.length === 1) req.socket.destroy();
  });
  await expect(stage.get()).rejects.toBeInstanceOf(UpstreamTimeout);
  expect(held).toHaveLength(2);
  await Promise.all(held.map(closed));
});
