import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAppFiles } from '../../examples/dashboard/server/app-files.ts';
import { createSessions } from '../../examples/dashboard/server/sessions.ts';
import { type BackendSetup, startBackend } from '../support/dashboard.ts';
import { createGate } from '../support/gate.ts';
import { apiKey } from '../support/gateway.ts';
import { makeFolder } from '../support/manifest.ts';
import { closed, type Script, sendJson, startUpstream } from '../support/upstream.ts';
import { send, type WireRequest } from '../support/wire.ts';

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
  const sent = upstream.requests[0]?.headers;
  expect(sent).toMatchObject({ ...passed, 'content-type': 'application/json', 'x-api-key': apiKey });
  for (const name of ['authorization', 'x-forwarded-for', 'cookie']) expect(sent).not.toHaveProperty(name);
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject(shown);
  expect(response.headers).not.toHaveProperty('x-internal');
  expect(JSON.stringify(response)).not.toContain(apiKey);
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

it('ends the call when the browser goes', async () => {
  const gone = createGate();
  const { origin } = await start({}, async (_req, res) => {
    res.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' }).write('first part');
    await closed(res);
    gone.open();
  });
  const headers = { ...sameOrigin, cookie: (await openPage(origin)).cookie };
  const req = request(`${origin}/graphql`, { method: 'POST', headers });
  req.on('error', () => {});
  req.end(body);
  const [res] = await once(req, 'response');
  expect(String((await once(res, 'data'))[0])).toBe('first part');
  req.destroy();
  await gone.promise;
});

it('cuts a response off where the gateway does, and goes on', async () => {
  const part = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{';
  const { origin } = await start({}, (_req, res) => res.socket?.end(part));
  for (const _ of [1, 2]) await expect(postQuery(origin)).rejects.toThrow(/aborted|socket hang up/);
});

it('tells a probe for any host that it is alive', async () => {
  const { origin } = await start();
  const probe = { method: 'GET', path: '/healthz', headers: { host: '10.0.0.7' } };
  expect(await send(origin, probe)).toMatchObject({ status: 200, body: '' });
});

it('cuts off live streams when it drains, and ends after all other responses', async () => {
  const [arrived, finish] = [createGate(), createGate()];
  const { origin, drain } = await start({}, async (req, res) => {
    if (req.headers.accept === 'text/event-stream') {
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write('event');
      return;
    }
    arrived.open();
    await finish.promise;
    sendJson(res, { data: {} });
  });
  const headers = { ...sameOrigin, cookie: (await openPage(origin)).cookie };
  const stream = request(`${origin}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
  });
  stream.end(body);
  const [events] = await once(stream, 'response');
  await once(events, 'data');
  const pending = send(origin, { headers, body });
  await arrived.promise;

  const drained = drain(10_000);
  await expect(once(events, 'end')).rejects.toThrow('aborted');
  await expect(send(origin, { method: 'GET', path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
  finish.open();
  expect((await pending).status).toBe(200);
  await drained;
});

it('responds with 502 while the gateway is down', async () => {
  const { origin } = await startBackend('http://127.0.0.1:9/graphql', { app: await createApp() });
  const body = expect.stringContaining('GATEWAY_UNREACHABLE');
  expect(await postQuery(origin)).toMatchObject({ status: 502, body });
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

it('keeps a session for its time, and rejects a cookie with any other character, length or secret', () => {
  const secret = 's'.repeat(32);
  const sessions = createSessions({ secret });
  const cookie = sessions.create('key-1');
  expect(createSessions({ secret }).keyOf(cookie)).toBe('key-1');
  expect(createSessions().keyOf(cookie)).toBeUndefined();
  expect(sessions.create('key-1')).not.toBe(cookie);
  expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toContain('key-1');
  for (let at = 0; at < cookie.length; at += 1) {
    const other = cookie[at] === 'A' ? 'Q' : 'A';
    expect(sessions.keyOf(cookie.slice(0, at) + other + cookie.slice(at + 1))).toBeUndefined();
    expect(sessions.keyOf(cookie.slice(0, at))).toBeUndefined();
  }
  const short = createSessions({ lifetimeMs: 0 });
  expect(short.keyOf(short.create('key-1'))).toBeUndefined();
});
