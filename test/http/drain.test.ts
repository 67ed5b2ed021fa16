import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { closePort, openPort } from '../../src/http/port.ts';
import { type TestSettings, testConfig } from '../support/gateway.ts';
import { isListening } from '../support/ports.ts';
import { startServer } from '../support/server.ts';
import { jsonHeaders, openWire, wireOf } from '../support/wire.ts';

const longMs = 30_000;
const request = wireOf('GET /', {});

/** A server whose requests get their responses from the test. */
async function start(env: TestSettings = {}) {
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
  while (await isListening(Number(new URL(url).port)));
}

function block(ms: number): void {
  const startedMs = performance.now();
  while (performance.now() - startedMs < ms);
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

it('receives the rest of a partly received request', async () => {
  const server = await start();
  const [inHead, inBody] = [await openWire(server.url), await openWire(server.url)];
  inBody.write(wireOf('POST /', { ...jsonHeaders, 'content-length': '2' }, '{'));
  const body = await server.received(1);
  inHead.write(request.slice(0, 10));
  const drained = server.drain(longMs);
  for (const byte of request.slice(10, 20)) {
    inHead.write(byte);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  inHead.write(request.slice(20));
  (await server.received(2)).end('head');
  body.req.once('end', () => body.end('body')).resume();
  inBody.write('}');
  expect(await inHead.closed).toMatch(/200 OK.*head$/s);
  expect(await inBody.closed).toMatch(/200 OK.*body$/s);
  expect(await drained).toBe(0);
});

it('accepts the connections in the backlog also with a slow event loop', async () => {
  const server = createTcpServer((socket) => {
    // As on a busy machine.
    block(40);
    socket.end('taken');
  });
  const { port } = new URL(await openPort(server, { host: '127.0.0.1', port: 0 }));
  // All of them are in the backlog before the next turn: more than one per turn accepts in a second.
  const sockets = Array.from({ length: 40 }, () => connect(Number(port), '127.0.0.1'));
  const responses = sockets.map((socket) => text(socket).catch(() => 'reset'));
  await closePort(server, longMs);
  expect(await Promise.all(responses)).toEqual(sockets.map(() => 'taken'));
});

it('does not count time with a blocked event loop as quiet', async () => {
  const server = await start();
  const idle = await openIdle(server, 1);
  const drained = server.drain(longMs);
  await isClosed(server.url);
  block(1000);
  // The client, on the same busy machine, sends its request some turns later.
  for (let n = 0; n < 5; n += 1) await immediate();
  idle.write(request);
  (await server.received(2)).end('late');
  expect(await idle.closed).toMatch(/late$/);
  expect(await drained).toBe(0);
});

it('times out an incomplete request while it drains', async () => {
  const server = await start({ requestTimeoutMs: 300 });
  const slow = await openWire(server.url);
  slow.write(`${request.slice(0, -2)}x: `);
  const busy = await openWire(server.url);
  busy.write(request);
  const res = await server.received(1);
  const drained = server.drain(longMs);
  const drip = setInterval(() => slow.write('x'), 50);
  expect(await slow.closed).toMatch(/^HTTP\/1\.1 408 /);
  clearInterval(drip);
  res.end();
  expect(await drained).toBe(0);
});
