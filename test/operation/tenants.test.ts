import { expect, it } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { postForParts } from '../support/incremental.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const keys = ['tenant-key-0000000000000001', 'tenant-key-0000000000000002'];

/** Identifies a key without containing it, because no response may contain a key. */
function stampOf(key: string): string {
  return [...key].reverse().join('');
}

/** An upstream that writes the stamp of the request's key into every field, and responds in any order. */
const start = (env: NodeJS.ProcessEnv = {}) =>
  startBoth({ UPSTREAM_CONNECTIONS: '8', ...env }, (req, res) => {
    const stamp = stampOf(String(req.headers['x-api-key']));
    const path = req.url ?? '';
    const named = { id: stamp, name: stamp };
    const json = path.startsWith('/v1/site/')
      ? { ...bareSite(siteFromPath(path).id), city: stamp, clients: [named], projects: [named] }
      : {
          subject: stamp,
          sites: [
            { id: 'SITE-1', address: stamp },
            { id: 'SITE-2', address: stamp },
          ],
        };
    setImmediate(() => sendJson(res, json));
  });

const query = `{
  sites(ids: ["SITE-1", "SITE-2"]) { city clients { name } }
  conversationContext(id: "${conversation}") { subject sites { address site { city projects { name } } } }
}`;

function responseOf(key: string) {
  const stamp = stampOf(key);
  const site = { address: stamp, site: { city: stamp, projects: [{ name: stamp }] } };
  return {
    sites: [1, 2].map(() => ({ city: stamp, clients: [{ name: stamp }] })),
    conversationContext: { subject: stamp, sites: [site, site] },
  };
}

it.each(['0', '60000'])(
  'never mixes the data of 200 concurrent operations of two keys, cache %s ms',
  async (CACHE_TTL_MS) => {
    const { upstream, gateway } = await start({ CACHE_TTL_MS });
    const pending = Array.from({ length: 200 }, (_, index) => keys[index % 2] ?? '');
    const responses = await Promise.all(pending.map((key) => postQuery(gateway.url, query, { key })));
    const each = 200 * 5;
    expect(upstream.requests.length).toBeLessThan(each);
    for (const key of keys) expect(upstream.requests.some(({ apiKey }) => apiKey === key)).toBe(true);
    responses.forEach(({ data }, index) => {
      expect(data).toEqual(responseOf(pending[index] ?? ''));
    });
  },
);

it('never mixes the data of concurrent incremental responses of two keys', async () => {
  const { gateway } = await start();
  const pending = Array.from({ length: 40 }, (_, index) => keys[index % 2] ?? '');
  const deferred = '{ site(id: "SITE-1") { city ... @defer { clients { name } } } }';
  const responses = await Promise.all(pending.map((key) => postForParts(gateway.url, deferred, { key })));
  responses.forEach(({ parts }, index) => {
    const stamp = stampOf(pending[index] ?? '');
    expect(parts).toEqual([
      { data: { site: { city: stamp } }, hasNext: true },
      { incremental: [{ data: { clients: [{ name: stamp }] }, path: ['site'] }], hasNext: false },
    ]);
  });
});
