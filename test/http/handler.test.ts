import { describe, expect, it } from 'vitest';
import { apiKey, postQuery, startBoth, type TestSettings } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, send, sendRaw } from '../support/wire.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const site = bodyOf('{ site(id: "SITE-1") { id ... @defer { clients { id } } } }');

const start = (env: TestSettings = {}) =>
  startBoth(env, (req, res) => sendJson(res, { ...bareSite(siteFromPath(req.url ?? '').id), clients: [] }));

describe('rejects with 400 and no stack', () => {
  it.each(['a b', 'a%', 'a:99999', '', '[::::]', '1.2.3.4.5', 'caf\xe9', `${'a'.repeat(300)} b`])(
    'the Host %j',
    async (host) => {
      const { upstream, gateway } = await start();
      const response = await sendRaw(
        gateway.origin,
        `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\nx-api-key: ${apiKey}\r\n` +
          `content-type: application/json\r\ncontent-length: ${site.length}\r\n\r\n${site}`,
      );
      expect(upstream.requests).toEqual([]);
      expectRejected(response);
    },
  );

  it.each(['HTTP/1.1', 'HTTP/1.0'])('no Host in %s', async (version) => {
    const { gateway } = await start();
    expectRejected(await sendRaw(gateway.origin, `GET /graphql ${version}\r\nconnection: close\r\n\r\n`));
  });

  function expectRejected(response: string) {
    expect(response).toMatch(/^HTTP\/1.1 400 /);
    expect(response.toLowerCase()).toContain('\r\ncache-control: no-store\r\n');
    expect(response).toContain(
      '{"errors":[{"message":"The Host header is not a valid host name.","extensions":{"code":"BAD_REQUEST"}}]}',
    );
    expect(response).not.toMatch(/node_modules|\.ts|\.js/);
  }
});

it.each(['a', 'a:1', 'a.b-c.test:65535', '127.0.0.1', '[::1]:4000', 'LOCALHOST'])(
  'serves the Host %s',
  async (host) => {
    const { gateway } = await start();
    const response = await send(gateway.origin, {
      headers: { ...headers, host },
      body: bodyOf('{ __typename }'),
    });
    expect(response).toMatchObject({ status: 200, body: '{"data":{"__typename":"Query"}}' });
  },
);

it.each(['/', '/graphql/', '/GRAPHQL', '//graphql', '/graphql%3F', '/x?/graphql'])(
  'responds to %s with 404',
  async (path) => {
    const { upstream, gateway } = await start();
    for (const method of ['GET', 'POST']) {
      const response = await send(gateway.origin, {
        method,
        path,
        headers,
        ...(method === 'POST' && { body: site }),
      });
      expect(response).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
      expect(JSON.parse(response.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    }
    expect(upstream.requests).toEqual([]);
  },
);

it.each(['http://gateway.test/graphql', 'http:///graphql', '*'])(
  'rejects the request target %s, which is for proxies',
  async (target) => {
    const { gateway } = await start();
    const request = `OPTIONS ${target} HTTP/1.1\r\nhost: gateway.test\r\n\r\n`;
    expect(await sendRaw(gateway.origin, request)).toMatch(/^HTTP\/1\.1 400 /);
  },
);

it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])(
  'responds to %s with 405 and Allow',
  async (method) => {
    const { upstream, gateway } = await start();
    const response = await send(gateway.origin, { method, headers });
    expect(upstream.requests).toEqual([]);
    expect(response).toMatchObject({
      status: 405,
      headers: { allow: 'GET, POST', 'cache-control': 'no-store' },
    });
  },
);

describe('a body that is too large', () => {
  const sized = (bytes: number) => bodyOf('{ site(id: "SITE-1") { id } }').padEnd(bytes);

  it.each([
    ['declared', 1024, 200],
    ['declared', 1025, 413],
    ['chunked', 1024, 200],
    ['chunked', 1025, 413],
  ])('is rejected: %s, %i of 1024 bytes: %i', async (form, bytes, status) => {
    const { upstream, gateway } = await start({ maxBodyBytes: 1024 });
    const length =
      form === 'declared' ? { 'content-length': String(bytes) } : { 'transfer-encoding': 'chunked' };
    const response = await send(gateway.origin, { headers: { ...headers, ...length }, body: sized(bytes) });
    expect(upstream.requests).toHaveLength(status === 200 ? 1 : 0);
    expect(response).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
  });
});

const probes = ['/livez', '/readyz'];
const startSilent = (env: TestSettings = {}) => startBoth(env, () => {});

it.each(probes)(
  'responds at %s to GET, to HEAD and to HTTP/1.0 without a host, and rejects other methods',
  async (path) => {
    const { gateway } = await startSilent();
    const response = await send(gateway.origin, { method: 'GET', path });
    expect(response).toMatchObject({ status: 200, body: 'ok\n' });
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(await send(gateway.origin, { method: 'HEAD', path })).toMatchObject({ status: 200, body: '' });
    expect(await sendRaw(gateway.origin, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    const { status, headers } = await send(gateway.origin, { method: 'POST', path, body: '{}' });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
  },
);

it.each(['/livez/', '/LIVEZ', '/livez?a'])('has no probe at %s', async (path) => {
  const { gateway } = await startSilent();
  expect(await send(gateway.origin, { method: 'GET', path })).toMatchObject({ status: 404 });
});

it('responds to probes while no operation is admitted', async () => {
  const { upstream, gateway } = await startSilent({
    MAX_CONCURRENT_OPERATIONS: '1',
    OPERATION_TIMEOUT_MS: '500',
  });
  const waiting = postQuery(gateway.url, '{ site(id: "SITE-1") { id } }').catch(() => {});
  await upstream.received(1);
  expect(await send(gateway.origin, { method: 'GET', path: '/readyz' })).toMatchObject({ status: 200 });
  await waiting;
});
