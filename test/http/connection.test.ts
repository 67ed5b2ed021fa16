import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/http/server/server.ts';
import { createGate } from '../support/gate.ts';
import { apiKey, postQuery, startGateway, testConfig } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, openWire, wireOf } from '../support/wire.ts';
import { expectRefusal } from './error-response.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const declared = (bytes: number) => wireOf('POST /graphql', { ...headers, 'content-length': String(bytes) });
const chunked = wireOf('POST /graphql', { ...headers, 'transfer-encoding': 'chunked' });
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;

async function start(env: NodeJS.ProcessEnv = {}) {
  const upstream = await startUpstream((req, res) => sendJson(res, bareSite(siteFromPath(req.url ?? '').id)));
  return { upstream, gateway: await startGateway(upstream.url, env) };
}

/** The same with an upstream that responds when the gate is open. */
async function startSlow(env: NodeJS.ProcessEnv = {}) {
  const gate = createGate();
  const upstream = await startUpstream(async (req, res) => {
    await gate.promise;
    sendJson(res, bareSite(siteFromPath(req.url ?? '').id));
  });
  return { gate, upstream, gateway: await startGateway(upstream.url, env) };
}

async function serve(listener: RequestListener, env: NodeJS.ProcessEnv = {}) {
  const { url, close } = await startServer(listener, testConfig(env));
  onTestFinished(close);
  return url;
}

it.each([
  ['declares too large a body', declared(400_000), ' '.repeat(10_000)],
  ['sends too large a body', chunked, chunk(10_000)],
])('sends the response to a client that %s and reads after it has written', async (_, head, more) => {
  const { gateway } = await start();
  const wire = await openWire(gateway.origin, 'stubborn');
  wire.listen(false);
  wire.write(head);
  let count = 0;
  const written = createGate();
  const drip = setInterval(() => (count++ < 40 ? wire.write(more) : written.open()), 5);
  await written.promise;
  clearInterval(drip);
  wire.listen(true);
  expectRefusal(await wire.read(/\}\]\}$/), 413);
});

it('reports no fault where an invalid body follows a request for the page', async () => {
  const { gateway } = await start({ GRAPHIQL: 'on' });
  const wire = await openWire(gateway.origin);
  wire.write(`${wireOf('GET /graphql', { accept: 'text/html', 'transfer-encoding': 'chunked' })}0\n\n`);
  expectRefusal(await wire.closed, 400);
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
  const url = await serve(
    (req) =>
      req
        .resume()
        .on('error', () => {})
        .once('close', gone.open),
    {
      REQUEST_TIMEOUT_MS: '50',
    },
  );
  const wire = await openWire(url);
  wire.write(declared(10));
  expectRefusal(await wire.closed, 408);
  await gone.promise;
});

it('keeps the connection after a response before a small rest of the request', async () => {
  const { gateway } = await start();
  const wire = await openWire(gateway.origin);
  wire.write(wireOf('POST /nowhere', { ...headers, 'content-length': '2' }));
  await wire.read(/\}\]\}$/);
  wire.write(`{}${wireOf('GET /graphql?query=%7B__typename%7D', headers)}`);
  expect((await wire.read(/"Query"/)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
});

it('sends no second response where that rest does not arrive', async () => {
  const { gateway } = await start({ REQUEST_TIMEOUT_MS: '50' });
  const wire = await openWire(gateway.origin);
  wire.write(wireOf('POST /nowhere', { ...headers, 'content-length': '2' }));
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
});

it('ignores a late request while the previous response is pending', async () => {
  const { gate, upstream, gateway } = await startSlow({ REQUEST_TIMEOUT_MS: '100' });
  const requestFor = (id: string) => {
    const body = bodyOf(`{ site(id: "${id}") { id } }`);
    return declared(body.length) + body;
  };
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

it('sends a complete response to a slow reader', async () => {
  const text = 'x'.repeat(20_000_000);
  const url = await serve((_, res) => res.end(text));
  const wire = await openWire(url);
  wire.listen(false);
  wire.write(wireOf('GET /', { connection: 'close' }));
  // Longer than a connection lingers after its last response.
  let count = 0;
  const rested = createGate();
  const rest = setInterval(() => count++ > 30 && rested.open(), 50);
  await rested.promise;
  clearInterval(rest);
  wire.listen(true);
  expect((await wire.closed).length).toBeGreaterThan(text.length);
});

const site = bodyOf('{ site(id: "SITE-1") { id } }');
const requestOf = (body: string) =>
  wireOf('POST /graphql', { ...headers, 'content-length': String(body.length) }, body);

it('executes no request after one with an Upgrade field', async () => {
  const { upstream, gateway } = await start();
  const wire = await openWire(gateway.origin);
  const upgrade = wireOf('GET /a', { connection: 'Upgrade', upgrade: 'h2c' });
  wire.write(`${upgrade}GET /b HTTP/1.1\r\nHost: a\r\nX: `);
  await wire.read(/\}\]\}$/);
  // A server that took the first part for a request reads this as the value of a header field.
  wire.write(requestOf(site));
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  expect(upstream.requests).toEqual([]);
});

it('times out a request with an Upgrade field like any other', async () => {
  const { gateway } = await start({ REQUEST_TIMEOUT_MS: '300' });
  const wire = await openWire(gateway.origin);
  const fields = { ...headers, connection: 'Upgrade', upgrade: 'h2c', 'content-length': '50' };
  wire.write(wireOf('POST /graphql', fields, '{'));
  expectRefusal(await wire.closed, 408);
});

it('executes no request after a late one', async () => {
  const { gate, upstream, gateway } = await startSlow();
  const wire = await openWire(gateway.origin);
  const fields = { ...headers, connection: 'Upgrade', upgrade: 'h2c', 'content-length': String(site.length) };
  wire.write(wireOf('POST /graphql', fields, site));
  await upstream.received(1);
  wire.write(requestOf(site.replace('SITE-1', 'SITE-2')));
  await postQuery(gateway.url, '{ __typename }');
  gate.open();
  expect((await wire.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
});

it('sends the pending response when the next request times out', async () => {
  const { gate, upstream, gateway } = await startSlow({ REQUEST_TIMEOUT_MS: '300' });
  const wire = await openWire(gateway.origin);
  const started = Date.now();
  wire.write(`${requestOf(site)}${wireOf('POST /x', { 'content-length': '50' }, 'ab')}`);
  await upstream.received(1);
  const waiting = setInterval(() => Date.now() - started > 1500 && gate.open(), 20);
  const output = await wire.closed;
  clearInterval(waiting);
  expect(output.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
});

it('closes a connection with too many pipelined requests after its pending responses', async () => {
  const { gate, upstream, gateway } = await startSlow();
  const wire = await openWire(gateway.origin);
  wire.write(requestOf(site) + requestOf(bodyOf('{ __typename }')).repeat(40));
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
  const url = await serve((_, res) => res.end('x'.repeat(size)), { REQUEST_TIMEOUT_MS: '1000' });
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(wireOf('GET /', { connection: 'close' }));
  let received = 0;
  // One chunk at a time, for longer than a client that reads nothing may take.
  const reading = setInterval(() => {
    received += socket.read()?.length ?? 0;
  }, 20);
  await pause(2_000);
  expect(received).toBeLessThan(size);
  clearInterval(reading);
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  await once(socket, 'close');
  expect(received).toBeGreaterThan(size);
});

it('closes at once with a partly received request and no pending response', async () => {
  const { url, close } = await startServer((_, res) => res.end('x'), testConfig());
  const wires = await Promise.all([1, 2, 3].map(() => openWire(url)));
  wires[0]?.write('GET / HT');
  wires[1]?.write(wireOf('GET /', {}));
  await wires[1]?.read(/x$/);
  wires[1]?.write('GET / HT');
  await close();
  await Promise.all(wires.map((wire) => wire.closed));
});

it('rejects a partly received request on close', async () => {
  const arrived = createGate();
  const { url, close } = await startServer(() => arrived.open(), testConfig());
  const wire = await openWire(url);
  wire.write(wireOf('POST /graphql', { ...headers, 'content-length': '50' }, '{'));
  await arrived.promise;
  await close();
  expect(await wire.closed).toMatch(/^HTTP\/1\.1 503 /);
});

it('completes a response before it closes', async () => {
  const size = 20_000_000;
  const responding = createGate();
  const { url, close } = await startServer((_, res) => {
    res.end('x'.repeat(size));
    responding.open();
  }, testConfig());
  const wire = await openWire(url);
  wire.listen(false);
  wire.write(wireOf('GET /', {}));
  await responding.promise;
  const closing = close();
  wire.listen(true);
  expect((await wire.closed).length).toBeGreaterThan(size);
  await closing;
});
