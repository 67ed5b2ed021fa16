import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/features/explain/index.ts';
import { postQuery, startBoth, type TestSettings } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { openLive } from '../../support/live.ts';
import { sendJson, sendSite } from '../../support/upstream.ts';

const limitedTo = (maxCalls: string, more: Record<string, string> = {}) => ({
  headers: { 'x-max-calls': maxCalls, ...more },
});

/** An upstream with every site, and a conversation about five of them. */
const start = (env: TestSettings = {}) =>
  startBoth(env, (req, res) => {
    const path = req.url ?? '';
    if (path === '/v1/health') return sendJson(res, {});
    if (path.startsWith('/v1/site/')) return sendSite(req, res);
    sendJson(res, { sites: [1, 2, 3, 4, 5].map((n) => ({ id: `SITE-${n}` })) });
  });

const healthAndSites = 'query ($ids: [ID!]!) { health { reachable } sites(ids: $ids) { id } }';
const ids = ['SITE-1', 'SITE-2', 'SITE-3'];
/** The error of `healthAndSites` with a limit of 3. */
const excess = {
  message:
    'The operation makes 4 REST calls; at most 3 are allowed. sites passes the limit: name at most 2 ids in it, or select it in another operation.',
  extensions: { code: 'OPERATION_TOO_EXPENSIVE', upstreamCalls: 4, limit: 3 },
};

describe('a limit of the request', () => {
  it('rejects an operation over it before the first call, with the sentence of its plan', async () => {
    const { upstream, gateway } = await start();
    for (const accept of ['application/json', 'application/json', 'application/graphql-response+json']) {
      const options = { variables: { ids }, ...limitedTo('3', { accept }) };
      const response = await postQuery(gateway.url, healthAndSites, options);
      expect(response).toMatchObject({ status: accept.includes('response') ? 422 : 400, errors: [excess] });
      expect(response).not.toHaveProperty('data');
    }
    expect(upstream.paths()).toEqual([]);
    const planned = await postQuery(gateway.url, healthAndSites, {
      variables: { ids },
      ...limitedTo('3', { 'x-explain': 'plan' }),
    });
    const { code: __, ...numbers } = excess.extensions;
    expect(planned.extensions).toMatchObject({
      plan: { atMost: 4, limit: 3, exceeded: { ...numbers, field: 'sites', message: excess.message } },
    });
    expect(upstream.paths()).toEqual([]);
  });

  it.each(['3', '9'.repeat(400), ''])(
    'has no effect unless it is lower than the setting: %s',
    async (value) => {
      const { upstream, gateway } = await start({ MAX_UPSTREAM_CALLS: '3' });
      const query = '{ sites(ids: ["SITE-1", "SITE-2", "SITE-3"]) { id ... @defer { clients { id } } } }';
      const accept = 'multipart/mixed';
      const sent = await postForParts(gateway.url, query, { accept });
      const limited = await postForParts(gateway.url, query, { accept, ...limitedTo(value) });
      // Without a limit of the request, the deferred fields fail alone.
      expect(upstream.requests).toHaveLength(6);
      expect(limited).toMatchObject({ status: 200, parts: sent.parts });
      const plan = await postQuery(gateway.url, query, limitedTo(value, { 'x-explain': 'plan' }));
      expect((plan.extensions as { plan?: Plan }).plan).toMatchObject({ limit: 3, cost: { limit: 3 } });
      expect(upstream.requests).toHaveLength(6);
    },
  );

  it('is a whole number from 1 on, or rejected', async () => {
    const { upstream, gateway } = await start();
    const message = 'The header x-max-calls must be a whole number from 1 on: x-max-calls: 3.';
    for (const value of ['0', '-1', '1.5', '03', '3, 4', 'three', '1e3']) {
      const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', limitedTo(value));
      expect([value, response.status]).toEqual([value, 400]);
      expect(response.errors).toEqual([{ message, extensions: { code: 'BAD_REQUEST' } }]);
    }
    expect(upstream.paths()).toEqual([]);
  });
});

it('is rejected with a live query, and with its plan', async () => {
  const { upstream, gateway } = await start({ LIVE: 'on' });
  const text = 'subscription { live { site(id: "SITE-1") { id } } }';
  const message = 'A live query takes no x-max-calls, and no x-explain but x-explain: plan.';
  const errors = [{ message, extensions: { code: 'BAD_REQUEST' } }];
  for (const more of [{}, { 'x-explain': 'plan', accept: 'application/json' }]) {
    const stream = await openLive(gateway.url, text, limitedTo('3', more));
    expect(stream.status).toBe(400);
    expect(await stream.body()).toMatchObject({ errors });
  }
  expect(upstream.paths()).toEqual([]);
  const [event] = await (await openLive(gateway.url, text, limitedTo(''))).received(1);
  expect(event).toMatchObject({ data: { live: { site: { id: 'SITE-1' } } } });
});
