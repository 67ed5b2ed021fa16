import { expect, it } from 'vitest';
import { startBoth, type TestSettings } from '../support/gateway.ts';
import { type Script, sendJson, siteFromPath } from '../support/upstream.ts';
import { expectNoLeak, failWith, faultyKey, post, siteOf, withClients } from './test-setup.ts';

const bare = '/v1/site/SITE-1';
const clients = `${bare}?include=clients`;
const site = { id: 'SITE-1', city: 'faulty SITE-1' };

const silence: Script = () => {};

/** An upstream with this script for calls with relations, which has every bare site. */
async function start(expanded: Script, env: TestSettings = {}) {
  const timeout = expanded === silence ? '1000' : '5000';
  return startBoth({ retryPercent: 0, UPSTREAM_TIMEOUT_MS: timeout, ...env }, (req, res) =>
    (siteFromPath(req.url ?? '').include.length > 0 ? expanded : served)(req, res),
  );
}

const served: Script = (req, res) => sendJson(res, siteOf(faultyKey, siteFromPath(req.url ?? '')));

it.each<[string, Script, string]>([
  ['500', failWith(500), 'UPSTREAM_UNAVAILABLE'],
  ['silence', silence, 'UPSTREAM_TIMEOUT'],
])('returns the site without the relations where these fail with %s', async (_, script, code) => {
  const { upstream, gateway } = await start(script);
  const posted = await post(
    gateway.url,
    '{ site(id: "SITE-1") { id city clients { name } primaryClient { name } projects { name } } }',
  );
  expect(upstream.paths()).toEqual([`${bare}?include=clients,projects`, bare]);
  expect(posted.status).toBe(200);
  expect(posted.response.data).toEqual({
    site: { ...site, clients: null, primaryClient: null, projects: null },
  });
  expect(posted.response.errors?.map(({ path, extensions }) => [path?.join('.'), extensions]).sort()).toEqual(
    ['site.clients', 'site.primaryClient', 'site.projects'].map((path) => [path, { code }]),
  );
  expectNoLeak(posted, { upstream, gateway });
});

it('requests the bare site after the retry, and once', async () => {
  const { upstream, gateway } = await start(failWith(503), { retryPercent: 20 });
  const { response } = await post(gateway.url, withClients);
  expect(upstream.paths()).toEqual([clients, clients, bare]);
  expect(response.data).toEqual({ site: { ...site, clients: null } });
});

it.each([
  [403, { status: 403, response: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } }],
  [404, { status: 200, response: { data: { site: null } } }],
  [429, { status: 429, response: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] } }],
  [400, { status: 200, response: { errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] } }],
])('requests no bare site after a %i', async (code, expected) => {
  const { upstream, gateway } = await start(failWith(code));
  const posted = await post(gateway.url, withClients);
  expect(upstream.paths()).toEqual([clients]);
  expect(posted).toMatchObject(expected);
});

it('requests no bare site where no connection can be made, or the operation has no time left', async () => {
  const cut = await start((_, res) => res.destroy());
  expect((await post(cut.gateway.url, withClients)).response.data).toEqual({ site: null });
  expect(cut.upstream.paths()).toEqual([clients]);

  const late = await start(silence, { UPSTREAM_TIMEOUT_MS: '10000', OPERATION_TIMEOUT_MS: '300' });
  const { response } = await post(late.gateway.url, withClients);
  expect(response).toMatchObject({
    data: { site: null },
    errors: [{ extensions: { code: 'UPSTREAM_TIMEOUT' } }],
  });
  // A second call would have come before this one.
  await post(late.gateway.url, '{ site(id: "SITE-2") { id } }');
  expect(late.upstream.paths()).toEqual([clients, '/v1/site/SITE-2']);
});
