import { expect, it } from 'vitest';
import { postQuery, startGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { send, sendRaw } from '../support/wire.ts';

async function start(env: NodeJS.ProcessEnv = {}) {
  const upstream = await startUpstream(() => {});
  return { upstream, gateway: await startGateway(upstream.url, env) };
}

const probes = ['/livez', '/readyz'];

it.each(probes)('responds with 200 at %s, without a key and without a REST call', async (path) => {
  const { upstream, gateway } = await start();
  const response = await send(gateway.origin, { method: 'GET', path });
  expect(response).toMatchObject({ status: 200, body: 'ok\n' });
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  });
  expect(upstream.requests).toEqual([]);
});

it.each(probes)('responds at %s to HEAD without a body, and to HTTP/1.0 without a host', async (path) => {
  const { gateway } = await start();
  expect(await send(gateway.origin, { method: 'HEAD', path })).toMatchObject({ status: 200, body: '' });
  expect(await sendRaw(gateway.origin, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
});

it.each(probes)('rejects other methods at %s', async (path) => {
  const { gateway } = await start();
  const { status, headers } = await send(gateway.origin, { method: 'POST', path, body: '{}' });
  expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
});

it.each(['/livez/', '/LIVEZ', '/livez?a', '/healthz', '//livez'])('has no probe at %s', async (path) => {
  const { gateway } = await start();
  expect(await send(gateway.origin, { method: 'GET', path })).toMatchObject({ status: 404 });
});

it('ignores the path of a probe in a query', async () => {
  const { gateway } = await start();
  const path = '/graphql?query=%7B__typename%7D&x=/livez';
  const { body } = await send(gateway.origin, { method: 'GET', path });
  expect(JSON.parse(body)).toEqual({ data: { __typename: 'Query' } });
});

it('responds to probes while no operation is admitted', async () => {
  const { upstream, gateway } = await start({ MAX_CONCURRENT_OPERATIONS: '1', OPERATION_TIMEOUT_MS: '500' });
  const waiting = postQuery(gateway.url, '{ site(id: "SITE-1") { id } }').catch(() => {});
  await upstream.received(1);
  expect(await send(gateway.origin, { method: 'GET', path: '/readyz' })).toMatchObject({ status: 200 });
  await waiting;
});

it('is ready until it retires, and still serves requests', async () => {
  const { gateway } = await start();
  gateway.retire();
  expect(await send(gateway.origin, { method: 'GET', path: '/readyz' })).toMatchObject({
    status: 503,
    body: 'draining\n',
  });
  expect(await send(gateway.origin, { method: 'GET', path: '/livez' })).toMatchObject({ status: 200 });
  expect(await postQuery(gateway.url, '{ __typename }')).toMatchObject({ status: 200 });
});
