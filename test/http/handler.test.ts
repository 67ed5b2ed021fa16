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

describe('a request target in absolute form (RFC 9112, 3.2.2)', () => {
  const query = bodyOf('{ __typename }');
  const lineOf = (method: string, target: string, host?: string) =>
    `${method} ${target} HTTP/1.1\r\n${host === undefined ? '' : `host: ${host}\r\n`}`;
  const post = (target: string, host?: string) =>
    `${lineOf('POST', target, host)}connection: close\r\nx-api-key: ${apiKey}\r\n` +
    `content-type: application/json\r\naccept: application/json\r\ncontent-length: ${query.length}\r\n\r\n${query}`;
  const get = (target: string) =>
    `${lineOf('GET', target, 'a')}connection: close\r\naccept: application/json\r\n\r\n`;

  it.each([
    post('http://gateway.test/graphql', 'gateway.test'),
    post('HTTP://gateway.test:4000/graphql?x=y', 'another.test'),
    post('https://[::1]:4000/graphql', 'gateway.test'),
    get('http://gateway.test/graphql?query=%7B__typename%7D'),
  ])('is served: %#', async (request) => {
    const { gateway } = await start();
    expect(await sendRaw(gateway.origin, request)).toMatch(
      /^HTTP\/1\.1 200 .*\{"data":\{"__typename":"Query"\}\}$/s,
    );
  });

  it('is accepted by the probes and the page', async () => {
    const { gateway } = await start();
    expect(await sendRaw(gateway.origin, get('http://gateway.test/livez'))).toMatch(
      /^HTTP\/1\.1 200 .*ok\n$/s,
    );
    const page = get('http://gateway.test/graphql').replace('application/json', 'text/html');
    expect(await sendRaw(gateway.origin, page)).toMatch(/^HTTP\/1\.1 200 .*<title>/s);
  });

  it.each([
    ['with a query and no path', post('http://gateway.test?/graphql', 'gateway.test'), 404],
    ['with another scheme', post('ftp://gateway.test/graphql', 'gateway.test'), 404],
    ['without a host', post('http:///graphql', 'gateway.test'), 400],
    ['with a user', post('http://user@gateway.test/graphql', 'gateway.test'), 400],
    ['and no Host field', post('http://gateway.test/graphql'), 400],
    ['and a Host field that is not valid', post('http://gateway.test/graphql', 'a b'), 400],
  ])('%s is rejected', async (_, request, status) => {
    const { upstream, gateway } = await start();
    expect(await sendRaw(gateway.origin, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(upstream.requests).toEqual([]);
  });
});

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

describe('a body over MAX_BODY_BYTES', () => {
  const sized = (bytes: number) => bodyOf('{ site(id: "SITE-1") { id } }').padEnd(bytes);

  it.each([
    ['declared', 1024, 200],
    ['declared', 1025, 413],
    ['chunked', 1024, 200],
    ['chunked', 1025, 413],
  ])('is rejected: %s, %i of 1024 bytes: %i', async (form, bytes, status) => {
    const { upstream, gateway } = await start({ MAX_BODY_BYTES: '1024' });
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
