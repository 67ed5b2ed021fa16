import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createAppFiles } from '../../examples/dashboard/server/app-files.ts';
import { startBackend } from '../support/dashboard.ts';
import { createGate } from '../support/gate.ts';
import { apiKey, startGateway } from '../support/gateway.ts';
import { makeFolder } from '../support/manifest.ts';
import { bareSite, closed, sendJson, startUpstream } from '../support/upstream.ts';
import { send } from '../support/wire.ts';

const body = JSON.stringify({ query: '{ site(id: "SITE-1") { id } }' });
const sameOrigin = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** Opens the page as a browser does, and returns the cookie that it got. */
async function openSession(origin: string): Promise<string> {
  const { headers } = await send(origin, { method: 'GET', path: '/', headers: { accept: 'text/html' } });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

/** A build with one page and one script, beside a file that is not to be served. */
async function createApp() {
  const folder = await makeFolder();
  await mkdir(join(folder, 'dist/assets'), { recursive: true });
  await writeFile(join(folder, 'dist/index.html'), '<title>Page</title>');
  await writeFile(join(folder, 'dist/assets/index-1.js'), '1;');
  await writeFile(join(folder, 'secret.txt'), 'secret');
  return createAppFiles(join(folder, 'dist'));
}

/** A gateway double that returns each request that it receives. */
async function start(options: { isSecure?: boolean; signIn?: () => Promise<string | undefined> } = {}) {
  const upstream = await startUpstream((_req, res) =>
    sendJson(res, { data: {} }, 200, { 'x-request-id': 'r-1', 'x-internal': 'secret', 'retry-after': '7' }),
  );
  const backend = await startBackend(`${upstream.url}/graphql`, { app: await createApp(), ...options });
  return { upstream, ...backend };
}

it('adds the key of the session, and passes on four headers of the browser', async () => {
  const { upstream, origin } = await start();
  const cookie = await openSession(origin);
  const extra = { 'x-api-key': 'of the browser', authorization: 'Bearer 1', 'x-forwarded-for': '1.2.3.4' };
  const passed = { accept: 'multipart/mixed', 'x-request-id': 'r-0', 'x-explain': 'report' };
  const response = await send(origin, { headers: { ...sameOrigin, ...extra, ...passed, cookie }, body });
  const { host, connection, 'content-length': length, ...sent } = upstream.requests[0]?.headers ?? {};
  expect(sent).toEqual({ ...passed, 'content-type': 'application/json', 'x-api-key': apiKey });
  expect({ host, connection, length }).toEqual({
    host: new URL(upstream.url).host,
    connection: 'keep-alive',
    length: String(body.length),
  });
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({ 'x-request-id': 'r-1', 'retry-after': '7' });
  expect(response.headers).not.toHaveProperty('x-internal');
});

it('gives a page a sealed cookie, and never the key', async () => {
  const { origin } = await start();
  const page = await send(origin, { method: 'GET', path: '/', headers: { accept: 'text/html' } });
  expect(page.headers['set-cookie']).toEqual([
    expect.stringMatching(/^session=[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  const script = await send(origin, { method: 'GET', path: '/assets/index-1.js' });
  expect(script.headers).not.toHaveProperty('set-cookie');
  expect(JSON.stringify([page, script])).not.toContain(apiKey);
});

it.each([
  { name: 'fails', signIn: async () => Promise.reject(new Error('secret')), status: 500 },
  { name: 'finds no user', signIn: async () => undefined, status: 200 },
])('opens no session when the login $name', async ({ signIn, status }) => {
  const { origin } = await start({ signIn });
  const page = await send(origin, { method: 'GET', path: '/', headers: { accept: 'text/html' } });
  expect(page.status).toBe(status);
  expect(page.body).not.toContain('secret');
  expect(page.headers).not.toHaveProperty('set-cookie');
});

it('renews the session of a page that is opened again, without another login', async () => {
  const keys = ['of the first login'];
  const { upstream, origin } = await start({ signIn: async () => keys.shift() });
  const cookie = await openSession(origin);
  const again = await send(origin, { method: 'GET', path: '/', headers: { accept: 'text/html', cookie } });
  const renewed = again.headers['set-cookie']?.[0]?.split(';')[0];
  expect(renewed).not.toBe(cookie);
  await send(origin, { headers: { ...sameOrigin, cookie: renewed ?? '' }, body });
  expect(upstream.requests.map(({ apiKey }) => apiKey)).toEqual(['of the first login']);
});

it('binds the cookie to TLS and to its host where the dashboard is served over TLS', async () => {
  const { origin } = await start({ isSecure: true });
  expect(await openSession(origin)).toMatch(/^__Host-session=/);
});

it.each([
  { name: 'without a session', headers: sameOrigin, status: 401, code: 'UNAUTHENTICATED', session: false },
  {
    name: 'with an invented session',
    headers: { ...sameOrigin, cookie: 'session=x' },
    status: 401,
    code: 'UNAUTHENTICATED',
    session: false,
  },
  { name: 'of another site', headers: { 'sec-fetch-site': 'cross-site' }, status: 403, code: 'CROSS_SITE' },
  {
    name: 'of another host of the site',
    headers: { 'sec-fetch-site': 'same-site' },
    status: 403,
    code: 'CROSS_SITE',
  },
  {
    name: 'of another origin, in an old browser',
    headers: { origin: 'http://evil.example' },
    status: 403,
    code: 'CROSS_SITE',
  },
  { name: 'of a sandboxed page', headers: { origin: 'null' }, status: 403, code: 'CROSS_SITE' },
  {
    name: 'for another host',
    headers: { ...sameOrigin, host: 'evil.example' },
    status: 421,
    code: 'MISDIRECTED',
  },
  { name: 'by GET', headers: sameOrigin, method: 'GET', status: 405, code: 'BAD_REQUEST' },
  {
    name: 'over 128 KiB',
    headers: sameOrigin,
    body: ' '.repeat(128 * 1024 + 1),
    status: 413,
    code: 'BAD_REQUEST',
  },
])('rejects a request $name', async ({ headers, status, code, session = true, ...sent }) => {
  const { upstream, origin } = await start();
  const cookie = session ? { cookie: await openSession(origin) } : {};
  const response = await send(origin, { body, ...sent, headers: { ...cookie, ...headers } });
  expect({ status: response.status, ...JSON.parse(response.body).errors[0].extensions }).toEqual({
    status,
    code,
  });
  expect(upstream.paths()).toEqual([]);
});

it('accepts a request of its own origin from a browser without Sec-Fetch-Site', async () => {
  const { origin } = await start();
  const cookie = await openSession(origin);
  expect((await send(origin, { headers: { origin, cookie }, body })).status).toBe(200);
});

it('forwards POST /graphql alone', async () => {
  const { upstream, origin } = await start();
  const cookie = await openSession(origin);
  for (const path of ['/graphql?query={x}', '/graphql/', '/metrics', '//graphql', '/v1/site/SITE-1']) {
    await send(origin, { path, headers: { ...sameOrigin, cookie }, body });
  }
  expect(upstream.paths()).toEqual([]);
});

it.each([
  { when: 'after the first part', sends: 'first part' },
  { when: 'before the response', sends: '' },
])('ends the call when the browser goes $when', async ({ sends }) => {
  const [arrived, gone] = [createGate(), createGate()];
  const upstream = await startUpstream(async (_req, res) => {
    if (sends) res.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' }).write(sends);
    arrived.open();
    await closed(res);
    gone.open();
  });
  const { origin } = await startBackend(upstream.url, { app: await createApp() });
  const headers = { ...sameOrigin, cookie: await openSession(origin) };
  const req = request(`${origin}/graphql`, { method: 'POST', headers });
  req.on('error', () => {});
  req.end(body);
  await arrived.promise;
  if (sends) {
    const [res] = await once(req, 'response');
    expect(String((await once(res, 'data'))[0])).toBe(sends);
  }
  req.destroy();
  await gone.promise;
});

it('responds with 502 while the gateway is down', async () => {
  const { origin } = await startBackend('http://127.0.0.1:9/graphql', { app: await createApp() });
  const cookie = await openSession(origin);
  const response = await send(origin, { headers: { ...sameOrigin, cookie }, body });
  expect(response).toMatchObject({ status: 502, body: expect.stringContaining('GATEWAY_UNREACHABLE') });
});

it.each([
  ['a status below 100', 'HTTP/1.1 099 Odd\r\n\r\n'],
  ['a status over 599', 'HTTP/1.1 600 Odd\r\n\r\n'],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\n'],
  ['another protocol that it does not name', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['an interim response alone', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['half a head', 'HTTP/1.1 200 OK\r\ncontent-t'],
  ['a control character in a header', 'HTTP/1.1 200 OK\r\nx-request-id: \u0001\r\n\r\n'],
  ['no HTTP', 'odd\r\n\r\n'],
])('responds with 502 to %s from the gateway, and goes on', async (_, head) => {
  const heads = [head];
  const upstream = await startUpstream((_req, res) => {
    const odd = heads.shift();
    if (odd === undefined) sendJson(res, { data: {} });
    else res.socket?.end(odd);
  });
  const { origin } = await startBackend(`${upstream.url}/graphql`, { app: await createApp() });
  const cookie = await openSession(origin);
  const response = await send(origin, { headers: { ...sameOrigin, cookie }, body });
  expect(response).toMatchObject({ status: 502, body: expect.stringContaining('GATEWAY_UNREACHABLE') });
  expect((await send(origin, { headers: { ...sameOrigin, cookie }, body })).status).toBe(200);
});

it.each([
  ['a length', 'content-length: 9\r\n\r\n{'],
  ['chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\nodd\r\n'],
])('cuts a response with %s off where the gateway does, and goes on', async (_, rest) => {
  const upstream = await startUpstream((_req, res) => res.socket?.end(`HTTP/1.1 200 OK\r\n${rest}`));
  const { origin } = await startBackend(`${upstream.url}/graphql`, { app: await createApp() });
  const cookie = await openSession(origin);
  for (const _ of [1, 2]) {
    await expect(send(origin, { headers: { ...sameOrigin, cookie }, body })).rejects.toThrow(
      /aborted|socket hang up/,
    );
  }
});

it('tells a probe for any host that it is alive', async () => {
  const { origin } = await start();
  const probe = { method: 'GET', path: '/healthz', headers: { host: '10.0.0.7' } };
  expect(await send(origin, probe)).toMatchObject({ status: 200, body: '' });
});

it('cuts off live streams at SIGTERM, and ends after all other responses', async () => {
  const [arrived, finish] = [createGate(), createGate()];
  const upstream = await startUpstream(async (req, res) => {
    if (req.headers.accept === 'text/event-stream') {
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write('event');
      return;
    }
    arrived.open();
    await finish.promise;
    sendJson(res, { data: {} });
  });
  const listen = resolve(import.meta.dirname, '../../examples/dashboard/server/listen.ts');
  const program = `import { listen } from ${JSON.stringify(pathToFileURL(listen).href)};
    await listen((_, res) => res.end());`;
  const env = { ...process.env, PORT: '0', PORTICO_API_KEY: apiKey, GATEWAY_URL: `${upstream.url}/graphql` };
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const [line] = await once(child.stdout, 'data');
  const port = /:(\d+)/.exec(String(line))?.[1];
  const origin = `http://127.0.0.1:${port}`;
  const host = `localhost:${port}`;
  const page = await send(origin, { method: 'GET', path: '/', headers: { host, accept: 'text/html' } });
  const headers = { ...sameOrigin, host, cookie: page.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };

  const stream = request(`${origin}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
  });
  stream.end(body);
  const [events] = await once(stream, 'response');
  await once(events, 'data');
  const pending = send(origin, { headers, body });
  await arrived.promise;

  child.kill('SIGTERM');
  await expect(once(events, 'end')).rejects.toThrow('aborted');
  await expect(send(origin, { method: 'GET', path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
  finish.open();
  expect((await pending).status).toBe(200);
  expect(await exited).toEqual([0, null]);
});

it('talks TLS to a gateway of https:', async () => {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        received.push(bytes);
        socket.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port: gateway } = server.address() as AddressInfo;
  const { origin } = await startBackend(`https://127.0.0.1:${gateway}/graphql`, { app: await createApp() });
  const cookie = await openSession(origin);
  const response = await send(origin, { headers: { ...sameOrigin, cookie }, body });
  expect(response).toMatchObject({ status: 502, body: expect.stringContaining('GATEWAY_UNREACHABLE') });
  // The type of a TLS handshake.
  expect(received[0]?.[0]).toBe(22);
});

it('survives a key that no header can hold', async () => {
  const { origin } = await start({ signIn: async () => 'a key of a file\n' });
  const cookie = await openSession(origin);
  for (const _ of [1, 2]) {
    const response = await send(origin, { headers: { ...sameOrigin, cookie }, body });
    expect(response).toMatchObject({ status: 500, body: expect.stringContaining('INTERNAL_SERVER_ERROR') });
    expect(response.body).not.toContain('a key');
  }
});

it('gives up on a gateway that sends nothing', async () => {
  const upstream = await startUpstream(() => {});
  const { origin } = await startBackend(`${upstream.url}/graphql`, { app: await createApp(), idleMs: 50 });
  const cookie = await openSession(origin);
  const response = await send(origin, { headers: { ...sameOrigin, cookie }, body });
  expect(response).toMatchObject({ status: 502, body: expect.stringContaining('GATEWAY_UNREACHABLE') });
});

it('passes on the rejection of a key', async () => {
  const upstream = await startUpstream((_req, res) => sendJson(res, bareSite('SITE-1')));
  const gateway = await startGateway(upstream.url);
  const { origin } = await startBackend(gateway.url, { key: 'two,keys', app: await createApp() });
  const cookie = await openSession(origin);
  const response = await send(origin, { headers: { ...sameOrigin, cookie }, body });
  expect(response).toMatchObject({ status: 403, body: expect.stringContaining('FORBIDDEN') });
});

it.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '//secret.txt',
  '/secret.txt',
  '/assets',
  '/assets/missing.js',
  '/__proto__',
])('serves no file but those of the build: %s', async (path) => {
  const { origin } = await start();
  const { status, body: text } = await send(origin, { method: 'GET', path });
  expect({ status, text }).toEqual({ status: 404, text: '' });
});

it('serves the page for every address that a browser opens, with a policy for its content', async () => {
  const { origin } = await start();
  const page = await send(origin, {
    method: 'GET',
    path: '/site/SITE-1.5',
    headers: { accept: 'text/html' },
  });
  expect(page).toMatchObject({ status: 200, body: '<title>Page</title>' });
  expect(page.headers).toMatchObject({
    'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self';"),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  const script = await send(origin, { method: 'GET', path: '/assets/index-1.js' });
  expect(script.headers['cache-control']).toContain('immutable');
  expect((await send(origin, { path: '/' })).status).toBe(405);
});
