import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Script } from '../support/upstream.ts';
import { expectNoLeak } from './leaks.ts';
import { expectRecovery, gather, one, postBesideOthers, startTestSetup } from './test-setup.ts';

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
