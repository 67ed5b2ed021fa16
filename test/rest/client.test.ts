import { expect, it, onTestFinished, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { UpstreamRateLimited } from '../../src/rest/errors.ts';
import { startClient } from '../support/client.ts';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';
import { sendJson, sendSite, startUpstream } from '../support/upstream.ts';

it('forwards the key as it came and no other header of the request', async () => {
  const { upstream, gateway } = await startBoth();
  const key = `!~${'Aa0-_.'.repeat(10)}#"`;
  await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', {
    key,
    headers: {
      authorization: 'Bearer canary',
      cookie: 'canary=1',
      'user-agent': 'canary',
      'accept-language': 'canary',
      'x-forwarded-for': '203.0.113.1',
      'x-explain': 'report',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  });
  expect(upstream.requests).toMatchObject([{ path: '/v1/site/SITE-1', apiKey: key }]);
  expect(upstream.requests[0]?.headers).toEqual({
    host: new URL(upstream.url).host,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': `portico/${manifest.version}`,
    'x-api-key': key,
  });
});

it.each([
  [200, '{"ok":true,"n":[1]}', { reachable: true, statusCode: 200, body: { ok: true, n: [1] } }],
  [204, undefined, { reachable: true, statusCode: 204, body: null }],
  [503, '{"ok":false}', { reachable: false, statusCode: 503, body: { ok: false } }],
  [403, 'blocked', { reachable: false, statusCode: 403, body: null }],
  [302, 'moved', { reachable: false, statusCode: 302, body: null }],
  [200, '<html>', { reachable: true, statusCode: 200, body: null }],
  [200, 'null', { reachable: true, statusCode: 200, body: null }],
  [200, Buffer.from('{"ok":"\xe9"}', 'latin1'), { reachable: true, statusCode: 200, body: null }],
  [200, '\ufeff{"ok":true}', { reachable: true, statusCode: 200, body: { ok: true } }],
  [200, '[]', { reachable: true, statusCode: 200, body: [] }],
  [200, '['.repeat(100_000) + ']'.repeat(100_000), { reachable: true, statusCode: 200, body: null }],
])('reports a health response %i %.20s as it is', async (status, body, health) => {
  const { upstream, gateway } = await startBoth({}, (_, res) => res.writeHead(status).end(body));
  const response = await postQuery(
    gateway.url,
    '{ health { reachable statusCode body } again: health { reachable } }',
  );
  expect(upstream.paths()).toEqual(['/v1/health']);
  expect(response.data).toEqual({ health, again: { reachable: health.reachable } });
});

it('reports an upstream that does not respond as not reachable', async () => {
  const { gateway } = await startBoth({}, (req) => req.socket.destroy());
  const { data, errors } = await postQuery(gateway.url, '{ health { reachable statusCode latencyMs body } }');
  expect(data?.health).toEqual({
    reachable: false,
    statusCode: null,
    latencyMs: expect.any(Number),
    body: null,
  });
  expect(errors).toBeUndefined();
});

it('ends a call although its report or its trace fails, and warns of that', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const upstream = await startUpstream((req, res) => {
    if (req.url?.endsWith('SITE-429')) sendJson(res, {}, 429, { 'retry-after': '60' });
    else sendSite(req, res);
  });
  const { getSite, callerOf } = startClient(upstream.url);
  const fault = new Error('no report');
  const fail = () => {
    throw fault;
  };
  const get = (id: string) => getSite({ ...callerOf(apiKey), report: fail, onSend: fail }, id, []);
  expect(await Promise.all([get('SITE-1'), get('SITE-1')])).toMatchObject([{ id: 'SITE-1' }, {}]);
  await expect(get('SITE-429')).rejects.toBeInstanceOf(UpstreamRateLimited);
  // Now the gate rejects the calls.
  for (let n = 0; n < 2; n += 1) await expect(get('SITE-2')).rejects.toBeInstanceOf(UpstreamRateLimited);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-429']);
  // Traces of two calls that were sent, reports of those, of the one that was joined, and of the two that
  // were rejected.
  expect(warn.mock.calls).toEqual(Array(7).fill([fault]));
});
