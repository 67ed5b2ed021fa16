import { expect, it } from 'vitest';
import { apiKey, postQuery, startBoth, type TestSettings } from '../support/gateway.ts';
import { jsonHeaders, openWire, wireOf } from '../support/wire.ts';

async function start(env: TestSettings = {}) {
  return (await startBoth(env, (_, res) => res.writeHead(500).end())).gateway;
}

const idOf = (text: string) => /\r\nx-request-id: (\S+)\r\n/i.exec(text)?.[1];

it.each<[string, string, number]>([
  ['no HTTP', 'no HTTP at all\r\n\r\n', 400],
  ['another path', wireOf('GET /secret-path', {}), 404],
  ['another method', wireOf('PUT /graphql', {}), 405],
  ['the end missing', 'GET /graphql HTTP/1.1\r\nhost: a\r\n', 408],
  ['a large head', wireOf('GET /graphql', { x: 'secret-path'.repeat(2000) }), 431],
])('names and logs a request with %s', async (_, bytes, status) => {
  const gateway = await start({ requestTimeoutMs: 300 });
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

it('gives each response to malformed HTTP a unique id', async () => {
  const gateway = await start();
  const ids = [];
  for (let n = 0; n < 2; n += 1) {
    const wire = await openWire(gateway.origin);
    wire.write('no HTTP at all\r\n\r\n');
    ids.push(idOf(await wire.closed));
  }
  expect(new Set(ids).size).toBe(2);
});

it('logs connections beyond MAX_CONNECTIONS', async () => {
  const gateway = await start({ MAX_CONNECTIONS: '1' });
  await openWire(gateway.origin);
  const second = await openWire(gateway.origin);
  await second.closed;
  expect(await gateway.logged('rejection')).toMatchObject([
    {
      level: 'warn',
      status: null,
      requestId: null,
      reason: 'The connection was closed: MAX_CONNECTIONS is reached.',
    },
  ]);
});

it('does not log requests to the GraphQL endpoint as rejections', async () => {
  const gateway = await start();
  await postQuery(gateway.url, '{ nothing }');
  await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', { key: null });
  const wire = await openWire(gateway.origin);
  wire.write(wireOf('POST /graphql', { ...jsonHeaders, 'x-api-key': apiKey, 'content-length': '999999' }));
  await wire.closed;
  await gateway.logged('operation', 3);
  expect(gateway.parsed('rejection')).toEqual([]);
});

it('logs ten rejections per second and the number of others', async () => {
  const gateway = await start();
  const wire = await openWire(gateway.origin);
  // They are handled in one turn of the event loop.
  wire.write(wireOf('GET /', {}).repeat(29) + wireOf('GET /', { connection: 'close' }));
  expect((await wire.closed).match(/HTTP\/1\.1 404 /g)).toHaveLength(30);
  const lines = await gateway.logged('rejection', 11);
  expect(lines.slice(0, 10).every(({ status }) => status === 404)).toBe(true);
  expect(lines.slice(10)).toMatchObject([{ suppressed: 20 }]);
});
