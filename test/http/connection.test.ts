import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createGate } from '../support/gate.ts';
import { apiKey, startBoth, type TestSettings, testConfig } from '../support/gateway.ts';
import { startServer } from '../support/server.ts';
import { closed } from '../support/upstream.ts';
import { jsonHeaders, openWire, postOf, wireOf } from '../support/wire.ts';
import { expectRejection } from './rejection.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
async function serve(listener: RequestListener, env: TestSettings = {}) {
  return (await startServer(listener, testConfig(env))).url;
}

it('reports no fault where an invalid body follows a request for the page', async () => {
  const { gateway } = await startBoth({ GRAPHIQL: 'on' });
  const wire = await openWire(gateway.origin);
  wire.write(`${wireOf('GET /graphql', { accept: 'text/html', 'transfer-encoding': 'chunked' })}0\n\n`);
  expectRejection(await wire.closed, 400);
  expect(gateway.lines).toEqual([]);
});

it('keeps the connection after a response before a small rest of the request', async () => {
  const { gateway } = await startBoth();
  const wire = await openWire(gateway.origin);
  wire.write(wireOf('POST /nowhere', { ...headers, 'content-length': '2' }));
  await wire.read(/\}\]\}$/);
  wire.write(`{}${wireOf('GET /graphql?query=%7B__typename%7D', headers)}`);
  expect((await wire.read(/"Query"/)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
});

it('sends no second response where that rest does not arrive', async () => {
  const { gateway } = await startBoth({ requestTimeoutMs: 50 });
  const wire = await openWire(gateway.origin);
  wire.write(wireOf('POST /nowhere', { ...headers, 'content-length': '2' }));
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
});

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
  'aborts the REST calls of all pipelined requests when the client calls %s',
  async (leave) => {
    const held: ServerResponse[] = [];
    const { upstream, gateway } = await startBoth({}, (_, res) => held.push(res));
    const { port, hostname } = new URL(gateway.origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write([1, 2, 3].map((n) => postOf(`{ site(id: "SITE-${n}") { id } }`)).join(''));
    await upstream.received(3);
    socket[leave]();
    await Promise.all(held.map(closed));
    expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2', '/v1/site/SITE-3']);
  },
);
