import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createAppFiles } from '../../examples/dashboard/server/app-files.ts';
import { type BackendSetup, startBackend } from '../support/dashboard.ts';
import { createGate } from '../support/gate.ts';
import { apiKey, startGateway } from '../support/gateway.ts';
import { makeFolder } from '../support/manifest.ts';
import {
  closed,
  type Script,
  sendJson,
  sendSite,
  sendSiteOr500,
  startUpstream,
} from '../support/upstream.ts';
import { bodyOf, send, type WireRequest } from '../support/wire.ts';

const body = JSON.stringify({ query: '{ site(id: "SITE-1") { id } }' });
const sameOrigin = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** Opens the page as a browser does; `cookie` is what it got. */
async function openPage(origin: string, headers: Record<string, string> = {}, path = '/') {
  const page = await send(origin, { method: 'GET', path, headers: { accept: 'text/html', ...headers } });
  return { ...page, cookie: page.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

/** Sends the query as a page does that was just opened. */
async function postQuery(origin: string) {
  const { cookie } = await openPage(origin);
  return send(origin, { headers: { ...sameOrigin, cookie }, body });
}

const unreachable = { status: 502, body: expect.stringContaining('GATEWAY_UNREACHABLE') };

/** A build with one page and one script, beside a file that is not to be served. */
async function createApp() {
  const folder = await makeFolder();
  await mkdir(join(folder, 'dist/assets'), { recursive: true });
  await writeFile(join(folder, 'dist/index.html'), '<title>Page</title>');
  await writeFile(join(folder, 'dist/assets/index-1.js'), '1;');
  await writeFile(join(folder, 'secret.txt'), 'secret');
  return createAppFiles(join(folder, 'dist'));
}

const shown = { 'x-request-id': 'r-1', 'retry-after': '7', 'server-timing': 'site;dur=1.0' };
const respond: Script = (_, res) => sendJson(res, { data: {} }, 200, { ...shown, 'x-internal': 'secret' });

/** The backend before a double of the gateway, which runs the script. */
async function start(options: Partial<BackendSetup> = {}, script = respond) {
  const upstream = await startUpstream(script);
  const backend = await startBackend(`${upstream.url}/graphql`, { app: await createApp(), ...options });
  return { upstream, ...backend };
}

it('adds the key of the session, and passes on five headers of the browser', async () => {
  const { upstream, origin } = await start();
  const { cookie } = await openPage(origin);
  const extra = { 'x-api-key': 'of the browser', authorization: 'Bearer 1', 'x-forwarded-for': '1.2.3.4' };
  const passed = {
    accept: 'multipart/mixed',
    'x-request-id': 'r-0',
    'x-explain': 'report',
    'x-max-calls': '9',
  };
  const response = await send(origin, { headers: { ...sameOrigin, ...extra, ...passed, cookie }, body });
  const { host, connection, 'content-length': length, ...sent } = upstream.requests[0]?.headers ?? {};
  expect(sent).toEqual({ ...passed, 'content-type': 'application/json', 'x-api-key': apiKey });
  expect({ host, connection, length }).toEqual({
    host: new URL(upstream.url).host,
    connection: 'keep-alive',
    length: String(body.length),
  });
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject(shown);
  expect(response.headers).not.toHaveProperty('x-internal');
});

it('gives a page a sealed cookie, and never the key', async () => {
  const { origin } = await start();
  const page = await openPage(origin);
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
  const page = await openPage(origin);
  expect(page.status).toBe(status);
  expect(page.body).not.toContain('secret');
  expect(page.headers).not.toHaveProperty('set-cookie');
});

it('renews the session of a page that is opened again, without another login', async () => {
  const keys = ['of the first login'];
  const { upstream, origin } = await start({ signIn: async () => keys.shift() });
  const { cookie } = await openPage(origin);
  const { cookie: renewed } = await openPage(origin, { cookie });
  expect(renewed).not.toBe(cookie);
  await send(origin, { headers: { ...sameOrigin, cookie: renewed }, body });
  expect(upstream.requests.map(({ apiKey }) => apiKey)).toEqual(['of the first login']);
});

it('binds the cookie to TLS and to its host where the dashboard is served over TLS', async () => {
  const { origin } = await start({ isSecure: true });
  expect((await openPage(origin)).cookie).toMatch(/^__Host-session=/);
});

it.each<[string, number, string, WireRequest]>([
  ['without a session', 401, 'UNAUTHENTICATED', { headers: { ...sameOrigin, cookie: '' } }],
  ['with an invented session', 401, 'UNAUTHENTICATED', { headers: { ...sameOrigin, cookie: 'session=x' } }],
  ['of another site', 403, 'CROSS_SITE', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['of another host of the site', 403, 'CROSS_SITE', { headers: { 'sec-fetch-site': 'same-site' } }],
  ['of another origin, in an old browser', 403, 'CROSS_SITE', { headers: { origin: 'http://evil.example' } }],
  ['of a sandboxed page', 403, 'CROSS_SITE', { headers: { origin: 'null' } }],
  ['for another host', 421, 'MISDIRECTED', { headers: { ...sameOrigin, host: 'evil.example' } }],
  ['by GET', 405, 'BAD_REQUEST', { headers: sameOrigin, method: 'GET' }],
  ['over 128 KiB', 413, 'BAD_REQUEST', { headers: sameOrigin, body: ' '.repeat(128 * 1024 + 1) }],
])('rejects a request %s', async (_, status, code, { headers, ...sent }) => {
  const { upstream, origin } = await start();
  const { cookie } = await openPage(origin);
  const response = await send(origin, { body, ...sent, headers: { cookie, ...headers } });
  const [error] = JSON.parse(response.body).errors;
  expect({ status: response.status, ...error.extensions }).toEqual({ status, code });
  expect(upstream.paths()).toEqual([]);
});

it('accepts a request of its own origin from a browser without Sec-Fetch-Site', async () => {
  const { origin } = await start();
  const { cookie } = await openPage(origin);
  expect((await send(origin, { headers: { origin, cookie }, body })).status).toBe(200);
});

it('forwards POST /graphql alone', async () => {
  const { upstream, origin } = await start();
  const { cookie } = await openPage(origin);
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
  const { origin } = await start({}, async (_req, res) => {
    if (sends) res.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' }).write(sends);
    arrived.open();
    await closed(res);
    gone.open();
  });
  const headers = { ...sameOrigin, cookie: (await openPage(origin)).cookie };
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
  expect(await postQuery(origin)).toMatchObject(unreachable);
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
  const { origin } = await start({}, (req, res) => {
    const odd = heads.shift();
    if (odd === undefined) respond(req, res);
    else res.socket?.end(odd);
  });
  expect(await postQuery(origin)).toMatchObject(unreachable);
  expect((await postQuery(origin)).status).toBe(200);
});

it.each([
  ['a length', 'content-length: 9\r\n\r\n{'],
  ['chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\nodd\r\n'],
])('cuts a response with %s off where the gateway does, and goes on', async (_, rest) => {
  const { origin } = await start({}, (_req, res) => res.socket?.end(`HTTP/1.1 200 OK\r\n${rest}`));
  for (const _ of [1, 2]) await expect(postQuery(origin)).rejects.toThrow(/aborted|socket hang up/);
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
  const headers = { ...sameOrigin, host, cookie: (await openPage(origin, { host })).cookie };

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
  expect(await postQuery(origin)).toMatchObject(unreachable);
  // The type of a TLS handshake.
  expect(received[0]?.[0]).toBe(22);
});

it('survives a key that no header can hold', async () => {
  const { origin } = await start({ signIn: async () => 'a key of a file\n' });
  for (const _ of [1, 2]) {
    const response = await postQuery(origin);
    expect(response).toMatchObject({ status: 500, body: expect.stringContaining('INTERNAL_SERVER_ERROR') });
    expect(response.body).not.toContain('a key');
  }
});

it('gives up on a gateway that sends nothing', async () => {
  const { origin } = await start({ idleMs: 50 }, () => {});
  expect(await postQuery(origin)).toMatchObject(unreachable);
});

it('passes on the rejection of a key', async () => {
  const upstream = await startUpstream(sendSite);
  const gateway = await startGateway(upstream.url);
  const { origin } = await startBackend(gateway.url, { key: 'two,keys', app: await createApp() });
  expect(await postQuery(origin)).toMatchObject({ status: 403, body: expect.stringContaining('FORBIDDEN') });
});

it.each([
  ['294, for data with errors', 294, ['SITE-1', 'SITE-500']],
  ['422, for variables that do not fit', 422, [{}]],
])('passes on %s', async (_, status, ids) => {
  const upstream = await startUpstream(sendSiteOr500);
  const gateway = await startGateway(upstream.url);
  const { origin } = await startBackend(gateway.url, { app: await createApp() });
  const { cookie } = await openPage(origin);
  const headers = { ...sameOrigin, cookie, accept: 'application/graphql-response+json' };
  const query = 'query ($ids: [ID!]!) { sites(ids: $ids) { id } }';
  const response = await send(origin, { headers, body: bodyOf(query, { variables: { ids } }) });
  expect(response.status).toBe(status);
  expect(JSON.parse(response.body).errors).toHaveLength(1);
});

it.each([
  ...['/../secret.txt', '/assets/../../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '//secret.txt'],
  ...['/secret.txt', '/assets', '/assets/missing.js', '/__proto__'],
])('serves no file but those of the build: %s', async (path) => {
  const { origin } = await start();
  const { status, body: text } = await send(origin, { method: 'GET', path });
  expect({ status, text }).toEqual({ status: 404, text: '' });
});

it('serves the page for every address that a browser opens, with a policy for its content', async () => {
  const { origin } = await start();
  const page = await openPage(origin, {}, '/site/SITE-1.5');
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
