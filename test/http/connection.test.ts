import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createGate } from '../support/gate.ts';
import { apiKey, postQuery, startBoth, type TestSettings, testConfig } from '../support/gateway.ts';
import { startServer } from '../support/server.ts';
import { closed, sendSite } from '../support/upstream.ts';
import { jsonHeaders, openWire, postOf, wireOf } from '../support/wire.ts';
import { expectRejection } from './rejection.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const declared = (bytes: number) => wireOf('POST /graphql', { ...headers, 'content-length': String(bytes) });
const chunked = wireOf('POST /graphql', { ...headers, 'transfer-encoding': 'chunked' });
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;

/** A gateway, and an upstream that responds when the gate is open. */
async function startSlow(env: TestSettings = {}) {
  const gate = createGate();
  const both = await startBoth(env, async (...call) => {
    await gate.promise;
    sendSite(...call);
  });
  return { gate, ...both };
}

async function serve(listener: RequestListener, env: TestSettings = {}) {
  return (await startServer(listener, testConfig(env))).url;
}

it.each([
  ['declares too large a body', declared(400_000), ' '.repeat(10_000)],
  ['sends too large a body', chunked, chunk(10_000)],
])('sends the response to a client that %s and reads after it has written', async (_, head, more) => {
  const { gateway } = await startBoth();
  const wire = await openWire(gateway.origin, 'stubborn');
  wire.listen(false);
  wire.write(head);
  let count = 0;
  const written = createGate();
  const drip = setInterval(() => (count++ < 40 ? wire.write(more) : written.open()), 5);
  await written.promise;
  clearInterval(drip);
  wire.listen(true);
  expectRejection(await wire.read(/\}\]\}$/), 413);
});

it('reports no fault where an invalid body follows a request for the page', async () => {
  const { gateway } = await startBoth({ GRAPHIQL: 'on' });
  const wire = await openWire(gateway.origin);
  wire.write(`${wireOf('GET /graphql', { accept: 'text/html', 'transfer-encoding': 'chunked' })}0\n\n`);
  expectRejection(await wire.closed, 400);
  expect(gateway.lines).toEqual([]);
});

it('discards a limited amount of input, for a limited time', async () => {
  const connection = createGate<Socket>();
  const url = await serve((req, res) => {
    connection.open(req.socket);
    res.end('enough');
  });
  const wire = await openWire(url, 'stubborn');
  const drip = setInterval(() => wire.write(chunk(200_000)), 5);
  onTestFinished(() => clearInterval(drip));
  wire.write(chunked);
  expect(await wire.closed).toContain('enough');
  expect((await connection.promise).bytesRead).toBeLessThan(2_000_000);
});

it.each<[string, RequestListener]>([
  ['unread', (_, res) => res.end('enough')],
  [
    'in part',
    (req, res) => {
      req.once('data', () => {
        req.pause();
        setImmediate(() => res.end('enough'));
      });
    },
  ],
])(
  'detects the disconnect of a client whose request was read %s when it got its response',
  async (_, listener) => {
    const connection = createGate<Socket>();
    const url = await serve((req, res) => {
      connection.open(req.socket);
      listener(req, res);
    });
    const wire = await openWire(url);
    wire.write(declared(500_000) + ' '.repeat(500_000));
    const socket = await connection.promise;
    if (!socket.destroyed) await once(socket, 'close');
    expect(socket.readableEnded).toBe(true);
  },
);

it('ends the stream of a request whose connection closed', async () => {
  const gone = createGate();
  const env = { REQUEST_TIMEOUT_MS: '50' };
  const url = await serve((req) => {
    req.on('error', () => {}).once('close', gone.open);
    req.resume();
  }, env);
  const wire = await openWire(url);
  wire.write(declared(10));
  expectRejection(await wire.closed, 408);
  await gone.promise;
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
  const { gateway } = await startBoth({ REQUEST_TIMEOUT_MS: '50' });
  const wire = await openWire(gateway.origin);
  wire.write(wireOf('POST /nowhere', { ...headers, 'content-length': '2' }));
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
});

it('ignores a late request while the previous response is pending', async () => {
  const { gate, upstream, gateway } = await startSlow({ REQUEST_TIMEOUT_MS: '100' });
  const requestFor = (id: string) => postOf(`{ site(id: "${id}") { id } }`);
  const wire = await openWire(gateway.origin, 'stubborn');
  wire.write(requestFor('SITE-1') + requestFor('SITE-late').slice(0, -5));
  await upstream.received(1);
  // A request that starts later is detected at the same time or later.
  const later = await openWire(gateway.origin);
  later.write('GET');
  await later.closed;
  wire.write(requestFor('SITE-late').slice(-5) + requestFor('SITE-3'));
  // A request that was executed would have reached the upstream before this one.
  const other = await openWire(gateway.origin);
  other.write(requestFor('SITE-other'));
  await upstream.received(2);
  gate.open();
  await wire.read(/408 Request Timeout/);
  wire.end();
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-other']);
});

const site = '{ site(id: "SITE-1") { id } }';

it('executes no request after one with an Upgrade field', async () => {
  const { upstream, gateway } = await startBoth();
  const wire = await openWire(gateway.origin);
  const upgrade = wireOf('GET /a', { connection: 'Upgrade', upgrade: 'h2c' });
  wire.write(`${upgrade}GET /b HTTP/1.1\r\nHost: a\r\nX: `);
  await wire.read(/\}\]\}$/);
  // A server that took the first part for a request reads this as the value of a header field.
  wire.write(postOf(site));
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  expect(upstream.requests).toEqual([]);
});

it('times out a request with an Upgrade field like any other', async () => {
  const { gateway } = await startBoth({ REQUEST_TIMEOUT_MS: '300' });
  const wire = await openWire(gateway.origin);
  const fields = { ...headers, connection: 'Upgrade', upgrade: 'h2c', 'content-length': '50' };
  wire.write(wireOf('POST /graphql', fields, '{'));
  expectRejection(await wire.closed, 408);
});

it('executes no request after a late one', async () => {
  const { gate, upstream, gateway } = await startSlow();
  const wire = await openWire(gateway.origin);
  wire.write(postOf(site).replace('\r\n', '\r\nconnection: Upgrade\r\nupgrade: h2c\r\n'));
  await upstream.received(1);
  wire.write(postOf(site.replace('SITE-1', 'SITE-2')));
  await postQuery(gateway.url, '{ __typename }');
  gate.open();
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
});

it('sends the pending response when the next request times out', async () => {
  const { gate, upstream, gateway } = await startSlow({ REQUEST_TIMEOUT_MS: '300' });
  const wire = await openWire(gateway.origin);
  const started = Date.now();
  wire.write(`${postOf(site)}${wireOf('POST /x', { 'content-length': '50' }, 'ab')}`);
  await upstream.received(1);
  const waiting = setInterval(() => Date.now() - started > 1500 && gate.open(), 20);
  const output = await wire.closed;
  clearInterval(waiting);
  expect(output.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
});

it('closes a connection with too many pipelined requests after its pending responses', async () => {
  const { gate, upstream, gateway } = await startSlow();
  const wire = await openWire(gateway.origin);
  wire.write(postOf(site) + postOf('{ __typename }').repeat(40));
  await upstream.received(1);
  // The rest arrived with it.
  await postQuery(gateway.url, '{ __typename }');
  gate.open();
  const statuses = (await wire.closed).match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual([...Array(32).fill('HTTP/1.1 200'), 'HTTP/1.1 503']);
});

it('closes a connection whose response is not read', async () => {
  const connection = createGate<Socket>();
  const url = await serve(
    (req, res) => {
      connection.open(req.socket);
      res.end('x'.repeat(50_000_000));
    },
    { REQUEST_TIMEOUT_MS: '300' },
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
  const url = await serve((_, res) => res.end('x'.repeat(size)), { REQUEST_TIMEOUT_MS: '2500' });
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

it('aborts the REST calls of all pipelined requests when the client disconnects', async () => {
  const held: ServerResponse[] = [];
  const { upstream, gateway } = await startBoth({}, (_, res) => held.push(res));
  const { port, hostname } = new URL(gateway.origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write([1, 2, 3].map((n) => postOf(`{ site(id: "SITE-${n}") { id } }`)).join(''));
  await upstream.received(3);
  socket.destroy();
  await Promise.all(held.map(closed));
  expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2', '/v1/site/SITE-3']);
});
