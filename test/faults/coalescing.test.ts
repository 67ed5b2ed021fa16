import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { closed, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { expectNoLeak } from './leaks.ts';
import { faultyKey, one, otherKey, post, siteOf, withClients } from './test-setup.ts';

const bare = '/v1/site/SITE-1';
const expanded = `${bare}?include=clients`;
const report = { 'x-explain': 'report' };
const site = { id: 'SITE-1', city: 'faulty SITE-1' };

/** An upstream that holds every response until the test sends it. */
async function startHeld(env: NodeJS.ProcessEnv = {}) {
  const held: { path: string; key: string; res: ServerResponse }[] = [];
  const upstream = await startUpstream((req, res) =>
    held.push({ path: req.url ?? '', key: String(req.headers['x-api-key']), res }),
  );
  const gateway = await startGateway(upstream.url, { UPSTREAM_CONNECTIONS: '256', ...env });
  return {
    upstream,
    gateway,
    /** The calls for this path, in order of arrival. */
    callsFor: (path: string) => held.filter((call) => call.path === path),
    respondToAll() {
      for (const { path, key, res } of held) {
        if (!res.headersSent) sendJson(res, siteOf(key, siteFromPath(path)));
      }
    },
  };
}

/** Requests SITE-1 and, in the same tick, a site of its own, whose call shows that both were requested. */
const marked = (n: number, selection = '{ id city }') =>
  `{ site(id: "SITE-1") ${selection} marker: site(id: "SITE-marker-${n}") { id } }`;

it('makes one call for a hundred equal operations at once', async () => {
  const { upstream, gateway, callsFor, respondToAll } = await startHeld();
  const pending = Array.from({ length: 100 }, (_, n) => post(gateway.url, marked(n), { headers: report }));
  await upstream.received(101);
  expect(callsFor(bare)).toHaveLength(1);
  respondToAll();
  const all = await Promise.all(pending);
  for (const posted of all) {
    expect(posted).toMatchObject({ status: 200, response: { data: { site } } });
    expect(posted.response).not.toHaveProperty('errors');
    expectNoLeak(posted, { upstream, gateway });
  }
  const sources = all.map(
    ({ response }) => response.extensions?.upstream?.calls.find(({ path }) => path === bare)?.source,
  );
  expect(sources.filter((source) => source === 'network')).toHaveLength(1);
  expect(sources.filter((source) => source === 'coalesced')).toHaveLength(99);
});

it('joins a request for the bare site to a call with clients, and not the other way round', async () => {
  const { upstream, gateway, callsFor, respondToAll } = await startHeld();
  const larger = post(gateway.url, withClients);
  await upstream.received(1);
  const smaller = post(gateway.url, marked(1), { headers: report });
  await upstream.received(2);
  const other = post(gateway.url, '{ site(id: "SITE-1") { projects { name } } }');
  await upstream.received(3);
  expect(upstream.paths()).toEqual([expanded, '/v1/site/SITE-marker-1', `${bare}?include=projects`]);
  respondToAll();
  expect((await larger).response.data).toEqual({ site: { ...site, clients: [{ name: 'faulty clients' }] } });
  expect((await other).response.data).toEqual({ site: { projects: [{ name: 'faulty projects' }] } });
  const { response } = await smaller;
  expect(response.data).toMatchObject({ site });
  expect(response.extensions?.upstream?.calls).toContainEqual({
    method: 'GET',
    path: bare,
    status: 200,
    startedMs: expect.any(Number),
    durationMs: expect.any(Number),
    source: 'coalesced',
    fields: ['site'],
  });
  expect(callsFor(bare)).toEqual([]);
});

it('serves the other waiters when the first one has disconnected', async () => {
  const { upstream, gateway, callsFor, respondToAll } = await startHeld();
  const leader = new AbortController();
  const leading = post(gateway.url, marked(0), { signal: leader.signal });
  await upstream.received(2);
  const following = [1, 2, 3].map((n) => post(gateway.url, marked(n)));
  await upstream.received(5);
  leader.abort();
  await expect(leading).rejects.toThrow('abort');
  // The first one's own call is aborted: the gateway has seen the disconnect.
  await Promise.all(callsFor('/v1/site/SITE-marker-0').map(({ res }) => closed(res)));
  respondToAll();
  for (const { response } of await Promise.all(following)) expect(response.data).toMatchObject({ site });
  expect(callsFor(bare)).toHaveLength(1);
});

it('aborts the call when the last waiter has disconnected', async () => {
  const { upstream, gateway, callsFor } = await startHeld();
  const leavers = [0, 1, 2].map(() => new AbortController());
  const pending = leavers.map(({ signal }, n) => post(gateway.url, marked(n), { signal }));
  await upstream.received(4);
  const [call] = callsFor(bare);
  for (const [n, leaver] of leavers.entries()) {
    expect(call?.res.destroyed).toBe(false);
    leaver.abort();
    await expect(pending[n]).rejects.toThrow('abort');
    await Promise.all(callsFor(`/v1/site/SITE-marker-${n}`).map(({ res }) => closed(res)));
  }
  await Promise.all(callsFor(bare).map(({ res }) => closed(res)));
  const next = post(gateway.url, one);
  await upstream.received(5);
  for (const { res } of callsFor(bare).slice(1))
    sendJson(res, siteOf(faultyKey, { id: 'SITE-1', include: [] }));
  expect((await next).response.data).toEqual({ site });
});

it.each([
  [500, 200, 'UPSTREAM_UNAVAILABLE'],
  [403, 200, 'FORBIDDEN'],
  [418, 200, 'UPSTREAM_INVALID_RESPONSE'],
])('shares a %i with all waiters, and does not cache it', async (failure, status, code) => {
  const { upstream, gateway, callsFor, respondToAll } = await startHeld();
  const pending = Array.from({ length: 20 }, (_, n) => post(gateway.url, marked(n)));
  await upstream.received(21);
  for (const { res } of callsFor(bare)) res.writeHead(failure).end();
  respondToAll();
  for (const { status: actualStatus, response } of await Promise.all(pending)) {
    expect({ actualStatus: actualStatus, data: response.data }).toMatchObject({
      actualStatus: status,
      data: { site: null },
    });
    expect(response.errors).toMatchObject([{ path: ['site'], extensions: { code } }]);
  }
  expect(callsFor(bare)).toHaveLength(1);
  const next = post(gateway.url, one);
  await upstream.received(22);
  respondToAll();
  expect((await next).response.data).toEqual({ site });
  expect(callsFor(bare)).toHaveLength(2);
});

it('never shares a call between two keys that request the same at the same instant', async () => {
  const { upstream, gateway, callsFor, respondToAll } = await startHeld();
  const keys = [faultyKey, otherKey];
  const pending = Array.from({ length: 100 }, (_, n) =>
    post(gateway.url, marked(n), { key: keys[n % 2] ?? '' }),
  );
  await upstream.received(102);
  expect(
    callsFor(bare)
      .map(({ key }) => key)
      .sort(),
  ).toEqual(keys);
  respondToAll();
  for (const [n, { response }] of (await Promise.all(pending)).entries()) {
    const owner = n % 2 === 0 ? 'faulty' : 'other';
    expect(response.data).toMatchObject({ site: { city: `${owner} SITE-1` } });
  }
});
