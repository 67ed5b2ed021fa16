import { expect, it } from 'vitest';
import { startBoth, type TestSettings } from '../support/gateway.ts';
import { incrementalFormats, postForParts } from '../support/incremental.ts';
import { type Script, sendJson, siteFromPath } from '../support/upstream.ts';
import { expectNoLeak, failWith, faultyKey, one, post, siteOf, withClients } from './test-setup.ts';

const bare = '/v1/site/SITE-1';
const clients = `${bare}?include=clients`;
const site = { id: 'SITE-1', city: 'faulty SITE-1' };
const report = { 'x-explain': 'report' };

/** A gateway that makes every call and stores every response for an outage, and an upstream that can fail. */
async function start(env: TestSettings = {}) {
  let fault: Script | undefined;
  const stale = { CACHE_STALE_IF_ERROR_MS: '60000', retryPercent: 0, UPSTREAM_TIMEOUT_MS: '1000' };
  const { upstream, gateway } = await startBoth({ ...stale, ...env }, (req, res) => {
    if (fault) fault(req, res);
    else sendJson(res, siteOf(req.headers['x-api-key']?.toString(), siteFromPath(req.url ?? '')));
  });
  return {
    upstream,
    gateway,
    url: gateway.url,
    break(by: Script) {
      fault = by;
      upstream.requests.length = 0;
    },
    mend() {
      fault = undefined;
    },
  };
}

const outages: [string, Script][] = [
  ['500', failWith(500)],
  ['silence', () => {}],
  ['a reset', (_, res) => res.socket?.resetAndDestroy()],
];

it.each(outages)('serves a stale response in place of %s, and reports it', async (_, script) => {
  const { upstream, gateway, url, ...scene } = await start();
  const fresh = await post(url, withClients);
  expect(fresh.response).not.toHaveProperty('extensions');
  scene.break(script);
  const old = await post(url, withClients);
  expect(upstream.paths().slice(-1)).toEqual([clients]);
  expect(old.status).toBe(200);
  expect(JSON.parse(old.text)).toEqual({
    data: fresh.response.data,
    extensions: { stale: [{ path: clients, ageSeconds: expect.any(Number) }] },
  });
  expectNoLeak(old, { upstream, gateway });
  scene.mend();
  expect((await post(url, withClients)).response).not.toHaveProperty('extensions');
});

it.each(incrementalFormats)('reports it in the last part of %s, and there only', async (accept) => {
  const { upstream, url, ...scene } = await start();
  const query = '{ site(id: "SITE-1") { id city ... @defer { clients { name } } } }';
  const fresh = await postForParts(url, query, { accept, key: faultyKey });
  scene.break(failWith(503));
  const { parts } = await postForParts(url, query, { accept, key: faultyKey });
  expect(upstream.paths()).toEqual([bare, clients]);
  expect(parts.map(({ extensions, ...part }) => part)).toEqual(fresh.parts);
  expect(parts.map(({ extensions }) => extensions)).toEqual([
    undefined,
    { stale: [bare, clients].map((path) => ({ path, ageSeconds: expect.any(Number) })) },
  ]);
});

it('serves the bare site of a stale response with more, and no relation that it lacks', async () => {
  const { upstream, url, ...scene } = await start();
  await post(url, withClients);
  scene.break(failWith(500));
  const bareRead = await post(url, one);
  expect(bareRead.response).toMatchObject({ data: { site }, extensions: { stale: [{}] } });
  const projects = await post(url, '{ site(id: "SITE-1") { id city projects { name } } }');
  expect(projects.response).toMatchObject({
    data: { site: { ...site, projects: null } },
    errors: [{ path: ['site', 'projects'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    extensions: { stale: [{ path: bare }] },
  });
  expect(upstream.paths()).toEqual([bare, `${bare}?include=projects`, bare]);
});

it('serves stale responses while the breaker is open', async () => {
  const { upstream, url, ...scene } = await start({ probeMs: 60_000 });
  await post(url, one);
  scene.break(failWith(500));
  await Promise.all(Array.from({ length: 20 }, (_, n) => post(url, `{ site(id: "SITE-x${n}") { id } }`)));
  upstream.requests.length = 0;
  const { response } = await post(url, one, { headers: report });
  expect(upstream.requests).toEqual([]);
  expect(response).toMatchObject({ data: { site }, extensions: { stale: [{ path: bare }] } });
  expect(response.extensions?.upstream?.calls.map(({ source }) => source)).toEqual(['circuit-open', 'stale']);
});
