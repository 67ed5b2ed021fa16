import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createGate } from '../support/gate.ts';
import { startGateway } from '../support/gateway.ts';
import { type Script, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { expectNoLeak } from './leaks.ts';
import {
  expectRecovery,
  faultyKey,
  gather,
  one,
  otherKey,
  patientEnv,
  post,
  postBesideOthers,
  siteOf,
  startTestSetup,
} from './test-setup.ts';

const unavailable = { data: { site: null }, errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }] };

it('turns a refused connection into UPSTREAM_UNAVAILABLE while others are served', async () => {
  const setup = await startTestSetup(() => {});
  const { port } = new URL(setup.upstream.url);
  const others = await gather(setup);
  // Open connections remain; a new one is refused.
  const stopped = new Promise((resolve) => setup.upstream.server.close(resolve));
  const refused = await setup.post(one);
  expect(refused.response).toMatchObject(unavailable);
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

it.each<[string, Script]>([
  ['a reset', (_, res) => res.socket?.resetAndDestroy()],
  ['an end', (_, res) => res.socket?.end()],
  ['words that are not HTTP', (_, res) => res.socket?.end('SSH-2.0-nothing\r\n')],
  ['half a head', (_, res) => res.socket?.end('HTTP/1.1 200 OK\r\nx-a: ')],
])('retries once where %s comes in place of a response, while others are served', async (_, script) => {
  const setup = await startTestSetup(script);
  const { response } = await postBesideOthers(setup, one);
  expect(setup.faulty()).toEqual(Array(2).fill('/v1/site/SITE-1'));
  expect(response).toMatchObject(unavailable);
  await expectRecovery(setup);
});

/** More connections in the pool than the other callers use. */
const POOLED = 60;

/** An upstream that closes the first connection with a request for SITE-1, which has served before. */
async function startUsed(close: (socket: Socket | null) => unknown) {
  const fallen = createGate();
  const full = createGate();
  const used = new WeakSet<Socket>();
  let isClosed = false;
  const upstream = await startUpstream(async (req, res) => {
    const requested = siteFromPath(req.url ?? '');
    const key = req.headers['x-api-key']?.toString();
    if (key === otherKey) await fallen.promise;
    else if (requested.id === 'SITE-1') fallen.open();
    else await full.promise;
    if (key === faultyKey && requested.id === 'SITE-1' && !isClosed) {
      expect(used.has(req.socket)).toBe(true);
      isClosed = true;
      return close(res.socket);
    }
    used.add(req.socket);
    sendJson(res, siteOf(key, requested));
  });
  // On a busy machine five seconds can pass between two calls: the default of Node would close the connections in the pool.
  upstream.server.keepAliveTimeout = 600_000;
  const gateway = await startGateway(upstream.url, { ...patientEnv, retryPercent: 0 });
  const pooling = Array.from({ length: POOLED }, (_, n) =>
    post(gateway.url, `{ site(id: "SITE-pooled-${n}") { id } }`),
  );
  await upstream.received(POOLED);
  full.open();
  await Promise.all(pooling);
  return { upstream, gateway };
}

it.each<[string, (socket: Socket | null) => unknown]>([
  ['reset', (socket) => socket?.resetAndDestroy()],
  ['ended', (socket) => socket?.end()],
])('repeats a call on a pooled connection that was %s, while others are served', async (_, close) => {
  const { upstream, gateway } = await startUsed(close);
  const others = await gather({ upstream, gateway });
  const posted = await post(gateway.url, one);
  await others.settled();
  expectNoLeak(posted, { upstream, gateway });
  expect(
    upstream
      .paths()
      .slice(POOLED)
      .filter((path) => path === '/v1/site/SITE-1'),
  ).toHaveLength(2);
  expect(posted.text).toBe('{"data":{"site":{"id":"SITE-1","city":"faulty SITE-1"}}}');
});
