import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { codes, postQuery, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';

const site = JSON.stringify(bareSite('SITE-1'));
const invalid = 'UPSTREAM_INVALID_RESPONSE';
const unavailable = 'UPSTREAM_UNAVAILABLE';

const send =
  (status: number, body?: string | Buffer, headers: Record<string, string> = {}) =>
  (res: ServerResponse) =>
    res.writeHead(status, headers).end(body);

const faults: [string, string, (res: ServerResponse) => unknown][] = [
  ['no JSON', invalid, send(200, '{"id":')],
  ['an empty body', invalid, send(200, '')],
  ['HTML with 200', invalid, send(200, '<!doctype html>', { 'content-type': 'text/html' })],
  ['204', invalid, send(204)],
  ['201', invalid, send(201, site)],
  ['206', invalid, send(206, site)],
  ['an array', invalid, send(200, `[${site}]`)],
  ['null', invalid, send(200, 'null')],
  ['a string', invalid, send(200, '"SITE-1"')],
  ['a number', invalid, send(200, '1')],
  ['another id', invalid, send(200, JSON.stringify(bareSite('SITE-2')))],
  ['the id in another case', invalid, send(200, JSON.stringify(bareSite('SITE-1'.toLowerCase())))],
  ['an id that is a number', invalid, send(200, '{"id":1}')],
  ['no id', invalid, send(200, '{}')],
  [
    'gzip that was not requested',
    invalid,
    send(200, Buffer.from([0x1f, 0x8b, 8]), { 'content-encoding': 'gzip' }),
  ],
  ['304', invalid, send(304)],
  ['400', invalid, send(400, '{}')],
  ['410', invalid, send(410, '{}')],
  ['418', invalid, send(418, site)],
  ['500', unavailable, send(500, '{}')],
  ['502', unavailable, send(502, '<html>')],
  ['503', unavailable, send(503, '', { 'retry-after': '5' })],
  ['504', unavailable, send(504)],
  ['a reset before the response', unavailable, (res) => res.socket?.resetAndDestroy()],
  ['an end before the response', unavailable, (res) => res.socket?.end()],
  [
    'a reset after an interim response',
    unavailable,
    (res) => res.writeEarlyHints({ link: '</a>; rel=preload' }, () => res.destroy()),
  ],
  [
    'a cut in the middle of a declared body',
    invalid,
    (res) => {
      res.writeHead(200, { 'content-length': site.length });
      res.write(site.slice(0, 5), () => res.destroy());
    },
  ],
  ['a cut in the middle of a chunked body', invalid, (res) => res.write(site, () => res.destroy())],
];

it.each(faults)('turns %s into %s, at its path alone', async (_, code, fault) => {
  const upstream = await startUpstream((req, res) =>
    req.url === '/v1/site/SITE-1' ? fault(res) : sendJson(res, bareSite('SITE-9')),
  );
  const gateway = await startGateway(upstream.url, { RETRY_PERCENT: '0' });
  const response = await postQuery(
    gateway.url,
    '{ bad: site(id: "SITE-1") { id } good: site(id: "SITE-9") { id } }',
  );
  expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-9']);
  expect(response).toMatchObject({ status: 200, data: { bad: null, good: { id: 'SITE-9' } } });
  expect(response.errors).toMatchObject([{ path: ['bad'], extensions: { code } }]);
});

it('uses the response that follows an interim one', async () => {
  const upstream = await startUpstream((_, res) => {
    res.writeEarlyHints({ link: '</a>; rel=preload' });
    sendJson(res, bareSite('SITE-1'));
  });
  const gateway = await startGateway(upstream.url);
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }');
  expect(upstream.requests).toHaveLength(1);
  expect(response).toMatchObject({ status: 200, data: { site: { id: 'SITE-1' } } });
});

it.each([
  ['null', 'null'],
  ['an array', '[]'],
  ['HTML', '<p>'],
])('turns %s in place of a conversation into UPSTREAM_INVALID_RESPONSE', async (_, body) => {
  const upstream = await startUpstream((_req, res) => send(200, body)(res));
  const gateway = await startGateway(upstream.url);
  const response = await postQuery(
    gateway.url,
    '{ conversationContext(id: "5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00") { id } }',
  );
  expect(upstream.paths()).toEqual(['/v1/conversation/5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00/context']);
  expect(codes(response)).toEqual([invalid]);
});

it.each([301, 302, 303, 307, 308])('does not follow a %i to another host', async (status) => {
  const elsewhere = await startUpstream((_, res) => sendJson(res, bareSite('SITE-1')));
  const upstream = await startUpstream((req, res) =>
    res.writeHead(status, { location: `${elsewhere.url}${req.url}` }).end(),
  );
  const gateway = await startGateway(upstream.url);
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } health { statusCode } }');
  expect(elsewhere.requests).toEqual([]);
  expect(upstream.paths().sort()).toEqual(['/v1/health', '/v1/site/SITE-1']);
  expect(response.data).toEqual({ site: null, health: { statusCode: status } });
  expect(codes(response)).toEqual([invalid]);
});

it('turns a refused connection into UPSTREAM_UNAVAILABLE', async () => {
  const gateway = await startGateway(`http://127.0.0.1:${await freePort()}`);
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }');
  expect(response).toMatchObject({ status: 200, data: { site: null } });
  expect(codes(response)).toEqual([unavailable]);
});

it('turns a server that does not speak HTTP into UPSTREAM_UNAVAILABLE', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-nothing\r\n')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway = await startGateway(`http://127.0.0.1:${portOf(server.address())}`);
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }');
  expect(codes(response)).toEqual([unavailable]);
  server.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server.address());
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (typeof address !== 'object' || address === null) throw new Error('The server does not listen.');
  return address.port;
}
