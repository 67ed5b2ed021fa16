import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createGate } from '../support/gate.ts';
import { startBoth, type TestSettings, testConfig } from '../support/gateway.ts';
import { startServer } from '../support/server.ts';
import { closed } from '../support/upstream.ts';
import { openWire, postOf, wireOf } from '../support/wire.ts';

async function serve(listener: RequestListener, env: TestSettings = {}) {
  return (await startServer(listener, testConfig(env))).url;
}

it('closes a connection whose response is not read', async () => {
  const connection = createGate<Socket>();
  const url = await serve(
    (req, res) => {
      connection.open(req.socket);
      res.end('x'.repeat(50_000_000));
    },
    { requestTimeoutMs: 300 },
  );
  const wire = await openWire(url, 'stubborn');
  wire.listen(false);
  wire.write(wireOf('GET /', {}));
  const socket = await connection.promise;
  if (!socket.destroyed) await once(socket, 'close');
  expect(socket.bytesWritten).toBeGreaterThan(0);
});

it('sends all of a response to a client that reads slowly', async () => {
  const size = 60_000_000;
  const url = await serve((_, res) => res.end('x'.repeat(size)), { requestTimeoutMs: 2500 });
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(wireOf('GET /', { connection: 'close' }));
  let received = 0;
  // One chunk at a time, for longer than a client that reads nothing may take.
  const reading = setInterval(() => {
    received += socket.read()?.length ?? 0;
  }, 20);
  await pause(4_000);
  expect(received).toBeLessThan(size);
  clearInterval(reading);
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  await once(socket, 'close');
  expect(received).toBeGreaterThan(size);
});

it.each(['destroy', 'end'] as const)(
  'aborts the REST calls of all pipelined requests, and releases their places, when the client calls %s',
  async (leave) => {
    const held: ServerResponse[] = [];
    const { upstream, gateway } = await startBoth({}, (_, res) => held.push(res));
    const { port, hostname } = new URL(gateway.origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write([1, 3].map((n) => postOf(`{ sites(ids: ["SITE-${n}", "SITE-${n + 1}"]) { id } }`)).join(''));
    await upstream.received(4);
    socket[leave]();
    await Promise.all(held.map(closed));
    await expect.poll(() => gateway.gauge('portico_operations_active')).toBe(0);
    expect(upstream.paths().sort()).toEqual([1, 2, 3, 4].map((n) => `/v1/site/SITE-${n}`));
  },
);
