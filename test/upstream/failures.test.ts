import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { codes, postQuery, startBoth } from '../support/gateway.ts';
import { bareSite, sendSite } from '../support/upstream.ts';

const site = JSON.stringify(bareSite('SITE-1'));
const invalid = 'UPSTREAM_INVALID_RESPONSE';
const unavailable = 'UPSTREAM_UNAVAILABLE';

const send =
  (status: number, body?: string | Buffer, headers: Record<string, string> = {}) =>
  (res: ServerResponse) =>
    res.writeHead(status, headers).end(body);

/** Further to the faults of `faults/responses.test.ts`. */
const faults: [string, string, (res: ServerResponse) => unknown][] = [
  ['an empty body', invalid, send(200, '')],
  ['201', invalid, send(201, site)],
  ['null', invalid, send(200, 'null')],
  ['the id in another case', invalid, send(200, JSON.stringify(bareSite('SITE-1'.toLowerCase())))],
  ['an id that is a number', invalid, send(200, '{"id":1}')],
  ['no id', invalid, send(200, '{}')],
  ['gzip in spite of Accept-Encoding', invalid, send(200, gzipSync(site), { 'content-encoding': 'gzip' })],
  ['304', invalid, send(304)],
  ['418', invalid, send(418, site)],
  ['a status below 100', unavailable, (res) => res.socket?.end('HTTP/1.1 099 Odd\r\n\r\n')],
  [
    'another protocol',
    unavailable,
    (res) => res.socket?.end('HTTP/1.1 101 Odd\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\n'),
  ],
  [
    'a reset after an interim response',
    unavailable,
    (res) => res.writeEarlyHints({ link: '</a>; rel=preload' }, () => res.destroy()),
  ],
];

it.each(faults)('turns %s into %s, at its path alone', async (_, code, fault) => {
  const { upstream, gateway } = await startBoth({ retryPercent: 0 }, (req, res) =>
    req.url === '/v1/site/SITE-1' ? fault(res) : sendSite(req, res),
  );
  const response = await postQuery(
    gateway.url,
    '{ bad: site(id: "SITE-1") { id } good: site(id: "SITE-9") { id } }',
  );
  expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-9']);
  expect(response).toMatchObject({ status: 200, data: { bad: null, good: { id: 'SITE-9' } } });
  expect(response.errors).toMatchObject([{ path: ['bad'], extensions: { code } }]);
});

it.each([
  ['null', 'null'],
  ['an array', '[]'],
])('turns %s in place of a conversation into UPSTREAM_INVALID_RESPONSE', async (_, body) => {
  const { upstream, gateway } = await startBoth({}, (_, res) => send(200, body)(res));
  const response = await postQuery(
    gateway.url,
    '{ conversationContext(id: "5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00") { id } }',
  );
  expect(upstream.paths()).toEqual(['/v1/conversation/5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00/context']);
  expect(codes(response)).toEqual([invalid]);
});
