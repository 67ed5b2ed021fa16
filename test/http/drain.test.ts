import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { testConfig } from '../support/gateway.ts';
import { startServer } from '../support/server.ts';
import { openWire, wireOf } from '../support/wire.ts';

const longMs = 30_000;
const request = wireOf('GET /', {});

/** A server whose requests get their responses from the test. */
async function start(env: NodeJS.ProcessEnv = {}) {
  const heard: ServerResponse[] = [];
  const news = createServer();
  const server = await startServer((_, res) => {
    heard.push(res);
    news.emit('heard');
  }, testConfig(env));
  return {
    ...server,
    async received(count: number): Promise<ServerResponse> {
      while (heard.length < count) await once(news, 'heard');
      const res = heard[count - 1];
      if (!res) throw new Error('not heard');
      return res;
    },
  };
}

async function isClosed(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const isRefused = await once(socket, 'connect').then(
      () => false,
      () => true,
    );
    socket.destroy();
    if (isRefused) return;
  }
}

/** A connection that is idle after a first response. */
async function openIdle(server: Awaited<ReturnType<typeof start>>, count: number) {
  const wire = await openWire(server.url);
  wire.write(request);
  (await server.received(count)).end('first');
  await wire.read(/first$/);
  return wire;
}

it('drains at once without requests, and waits for no idle connection, used or not', async () => {
  const server = await start();
  const wires = [await openIdle(server, 1), await openWire(server.url)];
  const startedMs = performance.now();
  expect(await server.drain(longMs)).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(longMs / 2);
  await Promise.all(wires.map(({ closed }) => closed));
  await expect(fetch(server.url)).rejects.toThrow();
});

it('responds to active requests, and to one on an idle connection, each with Connection: close', async () => {
  const server = await start();
  const idle = await openIdle(server, 1);
  const working = await openWire(server.url);
  working.write(request);
  const first = await server.received(2);
  const drained = server.drain(longMs);
  // Responses have Connection: close only once the port is closed.
  await isClosed(server.url);
  idle.write(request);
  const second = await server.received(3);
  first.end('at work');
  second.end('late');
  for (const [wire, text] of [[working, 'at work'] as const, [idle, 'late'] as const]) {
    expect(await wire.closed).toMatch(new RegExp(`\r\nConnection: close\r\n.*${text}$`, 's'));
  }
  expect(await drained).toBe(0);
});

it('responds with 503 to the requests pending at the deadline, and counts them', async () => {
  const server = await start();
  const working = await openWire(server.url);
  working.write(request);
  await server.received(1);
  const begun = await openWire(server.url);
  begun.write(request);
  (await server.received(2)).writeHead(200).write('part');
  const startedMs = performance.now();
  expect(await server.drain(300)).toBe(2);
  expect(performance.now() - startedMs).toBeGreaterThan(290);
  expect(await working.closed).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: .*"OVERLOADED"/is);
  await begun.closed;
});

it('serves a partly received body until its end', async () => {
  const server = await start();
  const wire = await openWire(server.url);
  wire.write(wireOf('POST /', { 'content-type': 'application/json', 'content-length': '2' }, '{'));
  const res = await server.received(1);
  const drained = server.drain(longMs);
  res.req.once('end', () => res.end('body')).resume();
  wire.write('}');
  expect(await wire.closed).toMatch(/200 OK.*body$/s);
  expect(await drained).toBe(0);
});
