import { describe, expect, it } from 'vitest';
import { CallBudget } from '../../src/rest/caller.ts';
import { startClient } from '../support/client.ts';
import { createGate } from '../support/gate.ts';
import { codes, postQuery, startBoth, startGateway, type TestSettings } from '../support/gateway.ts';
import { conversation, sendJson, sendSite, startUpstream } from '../support/upstream.ts';

const explain = { 'x-explain': 'report' };

/** An upstream with every site, and a conversation about thirty of them. */
const start = (env: TestSettings = {}) =>
  startBoth(env, (req, res) => {
    const path = req.url ?? '';
    if (path === '/v1/health') return sendJson(res, {});
    if (path.startsWith('/v1/site/')) return sendSite(req, res);
    sendJson(res, { sites: Array.from({ length: 30 }, (_, n) => ({ id: `SITE-${n}`, address: 'x' })) });
  });

it('rejects an operation whose ids exceed the call budget, without a call', async () => {
  const { upstream, gateway } = await start({ MAX_UPSTREAM_CALLS: '3' });
  const query = `query ($c: [ID!] = ["${conversation}", "00000000-0000-0000-0000-000000000000"], $ids: [ID!]!) {
    conversationContexts(ids: $c) { id } sites(ids: $ids) { id } }`;
  const variables = { ids: ['SITE-1', 'SITE-2', 'SITE-1'] };
  const response = await postQuery(gateway.url, query, { variables });
  expect(upstream.requests).toEqual([]);
  expect(response).toMatchObject({
    status: 400,
    errors: [{ extensions: { code: 'OPERATION_TOO_EXPENSIVE', upstreamCalls: 4, limit: 3 } }],
  });
  expect(response).not.toHaveProperty('data');
});

interface Data {
  conversationContext: { sites: { site: object | null }[] };
}

describe('ids that only the data contain', () => {
  const query = `{ conversationContext(id: "${conversation}") { sites { address site { id } } } }`;

  it('are loaded within the budget, and null with an error beyond it', async () => {
    const { upstream, gateway } = await start({ MAX_UPSTREAM_CALLS: '20', maxErrors: 30 });
    const response = await postQuery<Data>(gateway.url, query, { headers: explain });
    expect(upstream.requests).toHaveLength(20);
    expect(response.status).toBe(200);
    const sites = response.data?.conversationContext.sites ?? [];
    expect(sites).toHaveLength(30);
    expect(sites.filter(({ site }) => site !== null)).toHaveLength(19);
    expect(codes(response)).toEqual(Array(11).fill('OPERATION_TOO_EXPENSIVE'));
    const needed = response.errors?.map(({ extensions }) => extensions.upstreamCalls);
    expect(needed).toEqual(Array.from({ length: 11 }, (_, n) => 21 + n));
    expect(response.errors?.[0]).toMatchObject({ extensions: { limit: 20 } });
    expect(response.extensions?.upstream).toMatchObject({ budget: { spent: 20, limit: 20 } });
    expect(response.extensions?.upstream?.calls).toHaveLength(20);
  });

  it('counts a retry as a call, and reports the first outcome where the budget is used up', async () => {
    const upstream = await startUpstream((_, res) => sendJson(res, {}, 503));
    const pending = async (MAX_UPSTREAM_CALLS: string) => {
      const gateway = await startGateway(upstream.url, { MAX_UPSTREAM_CALLS });
      return codes(await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }'));
    };
    expect(await pending('1')).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(upstream.requests).toHaveLength(1);
    expect(await pending('2')).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(upstream.requests).toHaveLength(3);
  });

  it('does not count a coalesced call, which only the operation that sends it counts', async () => {
    const gate = createGate();
    const { upstream, gateway } = await startBoth({ MAX_UPSTREAM_CALLS: '1' }, async (req, res) => {
      if (!req.url?.startsWith('/v1/site/'))
        return sendJson(res, { sites: [{ id: 'SITE-1' }, { id: 'SITE-2' }] });
      await gate.promise;
      return sendSite(req, res);
    });
    const alone = ['SITE-1', 'SITE-2'].map((id) => postQuery(gateway.url, `{ site(id: "${id}") { id } }`));
    await upstream.received(2);
    const riding = postQuery(gateway.url, query);
    await upstream.received(3);
    gate.open();
    expect(await riding).toMatchObject({
      data: { conversationContext: { sites: [{ site: { id: 'SITE-1' } }, { site: { id: 'SITE-2' } }] } },
    });
    expect((await Promise.all(alone)).map(codes)).toEqual([[], []]);
    expect(upstream.requests).toHaveLength(3);
  });
});

it('serves an operation that requests the same as one whose budget is exceeded', async () => {
  const { upstream } = await start();
  const client = startClient(upstream.url);
  const budget = new CallBudget(0);
  const responses = await Promise.allSettled([
    client.getSite({ ...client.callerOf('one key'), budget }, 'SITE-1', ['clients']),
    client.getSite(client.callerOf('one key'), 'SITE-1', []),
    client.getHealth({ ...client.callerOf('one key'), budget }),
    client.getHealth(client.callerOf('one key')),
  ]);
  expect(responses).toMatchObject([
    { status: 'rejected', reason: { name: 'UpstreamBudgetExceeded' } },
    { status: 'fulfilled', value: { id: 'SITE-1' } },
    { status: 'rejected', reason: { name: 'UpstreamBudgetExceeded' } },
    { status: 'fulfilled', value: { reachable: true } },
  ]);
  expect(upstream.paths().sort()).toEqual(['/v1/health', '/v1/site/SITE-1']);
});
