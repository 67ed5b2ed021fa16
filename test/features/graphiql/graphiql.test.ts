import { expect, it } from 'vitest';
import { createGraphiql } from '../../../src/features/graphiql/graphiql.ts';
import { startGateway, testConfig } from '../../support/gateway.ts';
import { startServer } from '../../support/server.ts';
import { send } from '../../support/wire.ts';

const UPSTREAM = 'http://127.0.0.1:9';

async function start(env: NodeJS.ProcessEnv = {}) {
  const { origin } = await startGateway(UPSTREAM, env);
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, { headers: { 'accept-encoding': 'gzip', ...headers } });
  const page = await (await get('/graphql', { accept: 'text/html' })).text();
  const names = [...page.matchAll(/graphiql\/([\w.-]+)/g)].map(([, name = '']) => name);
  return { origin, get, page, names };
}

it('serves every file that the page names, to be cached for ever', async () => {
  const { get, names } = await start();
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    const response = await get(`/graphiql/${name}`);
    expect(response.status, name).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    expect(response.headers.get('content-type')).toMatch(
      { js: /^text\/javascript/, css: /^text\/css/, svg: /^image\/svg\+xml/ }[name.split('.').at(-1) ?? ''] ??
        /^$/,
    );
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
  }
});

it('serves the same bytes to clients that accept no gzip, and none to HEAD', async () => {
  const { origin, names } = await start();
  const path = `/graphiql/${names.find((name) => name.endsWith('.css'))}`;
  const plain = await send(origin, { method: 'GET', path, headers: { 'accept-encoding': 'identity' } });
  const zipped = await fetch(`${origin}${path}`, { headers: { 'accept-encoding': 'gzip' } });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.body).toBe(await zipped.text());
  const head = await send(origin, { method: 'HEAD', path, headers: {} });
  expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: '' });
});

it('serves the fonts of its style', async () => {
  const { get, names } = await start();
  const style = await (await get(`/graphiql/${names.find((name) => name.endsWith('.css'))}`)).text();
  const [, font] = /url\("?\.\/([\w.-]+\.woff2)/.exec(style) ?? [];
  const response = await get(`/graphiql/${font}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'font/woff2']);
  expect(style).not.toMatch(/url\(["']?(https?:|\/\/)/);
});

it('responds to other paths with 404', async () => {
  const { origin } = await start();
  for (const path of [
    ...['/graphiql/', '/graphiql/page.js', '/graphiql/../main.js', '/graphiql/..%2fmain.js'],
    ...['/graphiql/constructor', '/graphiql//etc/passwd'],
  ]) {
    const { status } = await send(origin, { method: 'GET', path, headers: { accept: 'text/html' } });
    expect(status, path).toBe(404);
  }
});

it('redirects / to the page, for GET and HEAD of clients that accept HTML', async () => {
  const { origin } = await start();
  const ask = (method: string, path: string, accept: string) =>
    send(origin, { method, path, headers: { accept } });
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['/', '/?x=/livez']) {
      const { status, body, headers } = await ask(method, path, 'text/html,*/*;q=0.8');
      expect([status, body, headers.location]).toEqual([302, '', 'graphql']);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'accept' });
    }
  }
  for (const [method, path, accept] of [
    ['GET', '/', '*/*'],
    ['POST', '/', 'text/html'],
    ['GET', '//', 'text/html'],
    ['GET', '/index.html', 'text/html'],
  ] as const) {
    expect(await ask(method, path, accept)).toMatchObject({ status: 404 });
  }
});

it('serves neither the page nor its files with GRAPHIQL=off', async () => {
  const { names } = await start();
  const { origin, page } = await start({ GRAPHIQL: 'off' });
  expect(page).not.toContain('<html');
  const root = await fetch(`${origin}/`, { headers: { accept: 'text/html' }, redirect: 'manual' });
  expect(root.status).toBe(404);
  const files = await Promise.all(names.map((name) => fetch(`${origin}/graphiql/${name}`)));
  expect(new Set(files.map(({ status }) => status))).toEqual(new Set([404]));
});

it('serves the page although it could not be created at the first request', async () => {
  let reads = 0;
  const graphiql = createGraphiql({
    example: { apiKey: '', siteId: '', conversationId: '' },
    get hasLive() {
      reads += 1;
      if (reads === 1) throw new Error('too many open files');
      return false;
    },
  });
  const { url } = await startServer((req, res) => {
    graphiql(req, res)?.catch((fault: Error) => res.writeHead(500).end(fault.message));
  }, testConfig());
  const responses = [];
  for (let n = 0; n < 3; n += 1)
    responses.push(await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } }));
  expect(responses.map(({ status }) => status)).toEqual([500, 200, 200]);
  expect(await responses[0]?.text()).toBe('too many open files');
  expect(reads).toBe(2);
});
