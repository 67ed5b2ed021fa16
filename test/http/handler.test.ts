import { expect, it } from 'vitest';
import { apiKey, postQuery, startBoth, type TestSettings } from '../support/gateway.ts';
import { bodyOf, jsonHeaders, openWire, send, sendRaw, wireOf } from '../support/wire.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const site = bodyOf('{ site(id: "SITE-1") { id } }');

const startSilent = (env: TestSettings = {}) => startBoth(env, () => {});

it('rejects each Host that is not valid with 400 and no stack', async () => {
  const { upstream, gateway } = await startSilent();
  const hosts = ['a b', 'a%', 'a:99999', '', '[::::]', '1.2.3.4.5', 'caf\xe9', `${'a'.repeat(300)} b`];
  const post = (host: string) =>
    `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\nx-api-key: ${apiKey}\r\n` +
    `content-type: application/json\r\ncontent-length: ${site.length}\r\n\r\n${site}`;
  const without = ['HTTP/1.1', 'HTTP/1.0'].map(
    (version) => `GET /graphql ${version}\r\nconnection: close\r\n\r\n`,
  );
  for (const request of [...hosts.map(post), ...without]) {
    const response = await sendRaw(gateway.origin, request);
    expect(response, request).toMatch(/^HTTP\/1.1 400 /);
    expect(response).toContain('"message":"The Host header is not a valid host name."');
    expect(response).not.toMatch(/node_modules|\.ts|\.js/);
  }
  expect(upstream.requests).toEqual([]);
});

it('serves each Host that is valid', async () => {
  const { gateway } = await startSilent();
  for (const host of ['a', 'a:1', 'a.b-c.test:65535', '127.0.0.1', '[::1]:4000', 'LOCALHOST']) {
    const response = await send(gateway.origin, {
      headers: { ...headers, host },
      body: bodyOf('{ __typename }'),
    });
    expect(response, host).toMatchObject({ status: 200, body: '{"data":{"__typename":"Query"}}' });
  }
});

it('responds to other paths with 404, and to other methods with 405', async () => {
  const { upstream, gateway } = await startSilent();
  const paths = ['/', '/graphql/', '/GRAPHQL', '//graphql', '/graphql%3F', '/x?/graphql'];
  for (const path of [...paths, '/livez/', '/LIVEZ', '/livez?a']) {
    for (const request of [{ method: 'GET' }, { method: 'POST', body: site }])
      expect(await send(gateway.origin, { ...request, path, headers }), path).toMatchObject({ status: 404 });
  }
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const response = await send(gateway.origin, { method, headers });
    expect(response, method).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
  }
  for (const target of ['http://gateway.test/graphql', 'http:///graphql', '*']) {
    const request = `OPTIONS ${target} HTTP/1.1\r\nhost: gateway.test\r\n\r\n`;
    expect(await sendRaw(gateway.origin, request), target).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(upstream.requests).toEqual([]);
});

it.each(['declared', 'chunked'])('reads a %s body to its limit', async (form) => {
  const { gateway } = await startBoth({ maxBodyBytes: 1024 });
  for (const [bytes, status] of [[1024, 200] as const, [1025, 413] as const]) {
    const length: Record<string, string> =
      form === 'declared' ? { 'content-length': String(bytes) } : { 'transfer-encoding': 'chunked' };
    const response = await send(gateway.origin, {
      headers: { ...headers, ...length },
      body: site.padEnd(bytes),
    });
    expect(response.status).toBe(status);
  }
});

it.each(['/livez', '/readyz'])(
  'responds at %s to GET, HEAD and HTTP/1.0 without a Host, also while no operation is admitted',
  async (path) => {
    const { upstream, gateway } = await startSilent({
      MAX_CONCURRENT_OPERATIONS: '1',
      OPERATION_TIMEOUT_MS: '500',
    });
    const waiting = postQuery(gateway.url, '{ site(id: "SITE-1") { id } }').catch(() => {});
    await upstream.received(1);
    expect(await send(gateway.origin, { method: 'GET', path })).toMatchObject({
      status: 200,
      body: 'ok\n',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    });
    expect(await send(gateway.origin, { method: 'HEAD', path })).toMatchObject({ status: 200, body: '' });
    expect(await sendRaw(gateway.origin, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    await waiting;
  },
);

const idOf = (text: string) => /\r\nx-request-id: (\S+)\r\n/i.exec(text)?.[1];

it.each<[string, string, number]>([
  ['no HTTP', 'no HTTP at all\r\n\r\n', 400],
  ['another path', wireOf('GET /secret-path', {}), 404],
  ['another method', wireOf('PUT /graphql', {}), 405],
  ['the end missing', 'GET /graphql HTTP/1.1\r\nhost: a\r\n', 408],
  ['a large head', wireOf('GET /graphql', { x: 'secret-path'.repeat(2000) }), 431],
])('names and logs a request with %s', async (_, bytes, status) => {
  const { gateway } = await startBoth({ requestTimeoutMs: 300 });
  const wire = await openWire(gateway.origin);
  wire.write(bytes);
  const text = await wire.read(/\}\]\}$/);
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const [line] = await gateway.logged('rejection');
  const [{ message }] = JSON.parse(text.slice(text.indexOf('{'))).errors;
  expect(line).toMatchObject({ level: 'info', status, requestId: idOf(text), reason: message });
  expect(line?.requestId).toMatch(/^\w+-\d+$/);
  expect(gateway.written.join('')).not.toContain('secret-path');
});

it('logs ten rejections per second and the number of others, none of requests to the GraphQL endpoint', async () => {
  const { gateway } = await startBoth();
  await postQuery(gateway.url, '{ nothing }');
  await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', { key: null });
  await gateway.logged('operation', 2);
  expect(gateway.parsed('rejection')).toEqual([]);
  const wire = await openWire(gateway.origin);
  // They are handled in one turn of the event loop.
  wire.write(wireOf('GET /', {}).repeat(29) + wireOf('GET /', { connection: 'close' }));
  const responses = (await wire.closed).split(/(?=HTTP\/1\.1 404 )/);
  expect(new Set(responses.map(idOf)).size).toBe(30);
  const lines = await gateway.logged('rejection', 11);
  expect(lines.slice(0, 10).every(({ status }) => status === 404)).toBe(true);
  expect(lines.slice(10)).toMatchObject([{ suppressed: 20 }]);
});
