import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bareSite, closed, type Script, sendJson, startUpstream } from '../support/upstream.ts';
import {
  canary,
  expectNoLeak,
  expectRecovery,
  failWith,
  gather,
  one,
  postBesideOthers,
  startTestSetup,
} from './test-setup.ts';

const site = JSON.stringify({ ...bareSite('SITE-1'), city: canary });

const send =
  (status: number, body?: string | Buffer, headers: Record<string, string> = {}): Script =>
  (_, res) =>
    res.writeHead(status, headers).end(body);

interface Fault {
  name: string;
  script: Script;
  calls: number;
  code: string;
  /** Of the response to the client; 200 if it has data and an error. */
  status?: number;
}

const invalid = { calls: 1, code: 'UPSTREAM_INVALID_RESPONSE' };
const down = { code: 'UPSTREAM_UNAVAILABLE' };

const faults: Fault[] = [
  { name: 'a cut in a declared body', ...invalid, script: cut({ 'content-length': site.length }) },
  { name: 'a cut in a chunked body', ...invalid, script: cut({}) },
  { name: 'no JSON', ...invalid, script: send(200, `{"id": "SITE-1", ${canary}`) },
  {
    name: 'a wrong id',
    ...invalid,
    script: (_, res) => sendJson(res, { ...bareSite(canary), city: canary }),
  },
  { name: 'the id in another case', ...invalid, script: (_, res) => sendJson(res, bareSite('site-1')) },
  {
    name: 'gzip in spite of Accept-Encoding',
    ...invalid,
    script: send(200, gzipSync(site), { 'content-encoding': 'gzip' }),
  },
  { name: '418', ...invalid, script: send(418, site) },
  ...[
    ['words that are not HTTP', 'SSH-2.0-nothing\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['another protocol', 'HTTP/1.1 101 Odd\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\n'],
  ].map(([name = '', bytes = '']) => ({ name, ...down, calls: 2, script: write(bytes) })),
  { name: 'a reset', ...down, calls: 2, script: (_, res) => res.socket?.resetAndDestroy() },
  { name: 'half a head', ...down, calls: 2, script: write('HTTP/1.1 200 OK\r\nx-a: ') },
  {
    name: '403',
    calls: 1,
    code: 'FORBIDDEN',
    status: 403,
    script: failWith(403),
  },
  { name: '500', ...down, calls: 1, script: send(500, canary) },
  { name: '503', ...down, calls: 2, script: send(503, canary) },
  { name: '503 with Retry-After', ...down, calls: 1, script: send(503, canary, { 'retry-after': '1' }) },
];

function write(bytes: string): Script {
  return (_, res) => res.socket?.end(bytes);
}

function cut(headers: Record<string, number>): Script {
  return (_, res) => {
    res.writeHead(200, headers);
    res.write(site.slice(0, -5), () => res.destroy());
  };
}

it.each(faults)(
  'turns $name into $code while others are served',
  async ({ script, calls, code, status = 200 }) => {
    const setup = await startTestSetup(script);
    const posted = await postBesideOthers(setup, one, { headers: { 'x-explain': 'report' } });
    expect(setup.faulty()).toEqual(Array(calls).fill('/v1/site/SITE-1'));
    expect(posted.status).toBe(status);
    expect(posted.response.errors).toMatchObject([{ extensions: { code } }]);
    expect(posted.response.errors?.[0]?.extensions).toEqual({ code });
    if (status === 200)
      expect(posted.response).toMatchObject({ data: { site: null }, errors: [{ path: ['site'] }] });
    else expect(posted.response).not.toHaveProperty('data');
    await expectRecovery(setup);
  },
);

it('turns a refused connection into UPSTREAM_UNAVAILABLE while others are served', async () => {
  const setup = await startTestSetup(() => {});
  const { port } = new URL(setup.upstream.url);
  const others = await gather(setup);
  // Open connections remain; a new one is refused.
  const stopped = new Promise((resolve) => setup.upstream.server.close(resolve));
  const refused = await setup.post(one);
  expect(refused.response).toMatchObject({
    data: { site: null },
    errors: [{ extensions: { code: down.code } }],
  });
  expectNoLeak(refused, setup);
  expect(setup.faulty()).toEqual([]);
  setup.fall();
  await others.settled();
  setup.upstream.server.closeIdleConnections();
  await stopped;
  setup.upstream.server.listen(Number(port), '127.0.0.1');
  await once(setup.upstream.server, 'listening');
  await expectRecovery(setup);
});

it('stops reading a response of 100 MB at the limit while others are served', async () => {
  const size = 100_000_000;
  const responses: ServerResponse[] = [];
  const chunk = Buffer.from(canary.padEnd(65_536));
  let sent = 0;
  const setup = await startTestSetup((_, res) => {
    responses.push(res);
    const more = () => {
      while (!res.destroyed && sent < size && res.write(chunk)) sent += chunk.length;
    };
    res.writeHead(200).on('drain', more);
    more();
  });
  const { status, response } = await postBesideOthers(setup, one);
  await Promise.all(responses.map(closed));
  expect(setup.faulty()).toEqual(['/v1/site/SITE-1']);
  expect(response).toMatchObject({ data: { site: null }, errors: [{ extensions: invalidCode }] });
  expect(status).toBe(200);
  // The limit, and the bytes in flight when it was reached.
  expect(sent).toBeLessThan(size / 2);
  await expectRecovery(setup);
});

const invalidCode = { code: invalid.code };

it('follows no redirect to another host while others are served', async () => {
  const elsewhere = await startUpstream((_, res) => sendJson(res, bareSite('SITE-1')));
  const setup = await startTestSetup((req, res) =>
    res.writeHead(308, { location: `${elsewhere.url}${req.url}` }).end(site),
  );
  const { text, response } = await postBesideOthers(setup, one);
  expect(setup.faulty()).toEqual(['/v1/site/SITE-1']);
  expect(elsewhere.requests).toEqual([]);
  expect(text).not.toContain(new URL(elsewhere.url).port);
  expect(response).toMatchObject({ data: { site: null }, errors: [{ extensions: invalidCode }] });
  await expectRecovery(setup);
});
