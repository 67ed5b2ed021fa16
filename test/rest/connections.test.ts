import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { UpstreamCall } from '../../src/rest/caller.ts';
import { startClient } from '../support/client.ts';
import type { TestSettings } from '../support/gateway.ts';
import { sendSite, startUpstream } from '../support/upstream.ts';

type End = (res: ServerResponse, socket: Socket) => unknown;

const never: End = () => {};

/** An upstream that responds `responses` times on a connection, and then ends it; and a client of it. */
async function start(end: End, responses: number, settings: TestSettings = {}) {
  const counts = new Map<Socket, number>();
  /** The number of the connection of each request. */
  const connections: number[] = [];
  const upstream = await startUpstream((req, res) => {
    const count = counts.get(req.socket) ?? 0;
    counts.set(req.socket, count + 1);
    connections.push([...counts.keys()].indexOf(req.socket) + 1);
    if (count < responses) sendSite(req, res);
    else end(res, req.socket);
  });
  const client = startClient(upstream.url, { UPSTREAM_CONNECTIONS: '1', ...settings });
  const reported: UpstreamCall[] = [];
  const caller = { ...client.caller, report: (call: UpstreamCall) => reported.push(call) };
  const get = (id = 'SITE-1') => client.getSite(caller, id, []);
  return { connections, sockets: counts, reported, get };
}

it.each<[string, End]>([
  ['closes', (_, socket) => socket.end()],
  ['destroys', (_, socket) => socket.destroy()],
  ['resets', (_, socket) => socket.resetAndDestroy()],
])('retries a call on a new connection where the upstream %s that of before', async (_, end) => {
  const { connections, reported, get } = await start(end, 1);
  for (const id of ['SITE-1', 'SITE-2']) expect(await get(id)).toMatchObject({ id });
  expect(connections).toEqual([1, 1, 2]);
  expect(reported).toMatchObject([{ status: 200 }, { status: null }, { status: 200, attempt: 2 }]);
});

it('uses one connection for calls in sequence', async () => {
  const { connections, get } = await start(never, 9);
  for (let n = 0; n < 3; n += 1) await get();
  expect(connections).toEqual([1, 1, 1]);
});

it('replaces a connection that has reached its age, and closes it when it is idle', async () => {
  const { connections, sockets, get } = await start(never, 9, { maxConnectionAgeMs: 0 });
  for (let n = 0; n < 3; n += 1) await get();
  expect(connections).toEqual([1, 2, 3]);
  const [first] = sockets.keys();
  if (first && !first.destroyed) await new Promise((resolve) => first.once('close', resolve));
});
