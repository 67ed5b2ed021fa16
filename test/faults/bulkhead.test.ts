import { expect, it } from 'vitest';
import { startBoth, type TestSettings } from '../support/gateway.ts';
import { sendJson, siteFromPath } from '../support/upstream.ts';
import { faultyKey, otherKey, post, siteOf } from './test-setup.ts';

const CONNECTIONS = 8;
/** A quarter is reserved for keys that have none. */
const SHARE = 6;

/**
 * A gateway with eight connections, and an upstream that holds the responses to the greedy key until it is
 * released.
 */
async function start(env: TestSettings = {}) {
  const held: (() => void)[] = [];
  let isOpen = false;
  let atWork = 0;
  let most = 0;
  const both = await startBoth({ UPSTREAM_CONNECTIONS: String(CONNECTIONS), ...env }, (req, res) => {
    const key = req.headers['x-api-key']?.toString();
    atWork += 1;
    most = Math.max(most, atWork);
    const respond = () => {
      atWork -= 1;
      sendJson(res, siteOf(key, siteFromPath(req.url ?? '')));
    };
    if (key === faultyKey && !isOpen) held.push(respond);
    else respond();
  });
  return {
    ...both,
    letGo() {
      isOpen = true;
      for (const respond of held) respond();
    },
    /** The most calls that were active at a time. */
    most: () => most,
  };
}

const sitesOf = (ids: string[]) => `{ sites(ids: ${JSON.stringify(ids)}) { id city } }`;
const idsOf = (operation: number, count = 50) =>
  Array.from({ length: count }, (_, n) => `SITE-${operation}-${n}`);

it('serves the first call of another key before any of a thousand that wait', async () => {
  const { upstream, gateway, letGo, most } = await start();
  const greedy = Array.from({ length: 20 }, (_, n) => post(gateway.url, sitesOf(idsOf(n))));
  await upstream.received(SHARE);
  // One after the other, each the only one of its key; by the last, all the thousand have arrived.
  for (let n = 0; n < 20; n += 1) {
    const { response } = await post(gateway.url, `{ site(id: "SITE-${n}") { city } }`, { key: otherKey });
    expect(response.data).toEqual({ site: { city: `other SITE-${n}` } });
  }
  expect(upstream.requests.map(({ apiKey }) => apiKey)).toEqual([
    ...Array(SHARE).fill(faultyKey),
    ...Array(20).fill(otherKey),
  ]);
  letGo();
  for (const [operation, { response }] of (await Promise.all(greedy)).entries()) {
    const sites = idsOf(operation).map((id) => ({ id, city: `faulty ${id}` }));
    expect(response).toMatchObject({ status: 200, data: { sites } });
    expect(response).not.toHaveProperty('errors');
  }
  expect(upstream.requests).toHaveLength(1020);
  expect(most()).toBe(CONNECTIONS - 1);
});
