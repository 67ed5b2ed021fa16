import { expect, it } from 'vitest';
import type { Plan } from '../../../src/features/explain/index.ts';
import { type GraphqlResponse, postQuery, startGateway } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { startReference } from '../../support/reference.ts';
import { conversation } from '../../support/upstream.ts';

const key = 'demo-acme-key-000000000000';
const plan = { 'x-explain': 'plan' };
const site = (path: string, fields: string[], forEach?: string) => ({
  method: 'GET',
  path: `/v1/site/${path}`,
  fields,
  ...(forEach && { forEach }),
});

async function start(env: NodeJS.ProcessEnv = {}) {
  const reference = await startReference();
  const gateway = await startGateway(reference.url, env);
  return { reference, gateway };
}

type Cost = Pick<Plan['cost'], 'known' | 'forEach'>;

function planWith(calls: object[], cost: Cost) {
  const atMost = cost.forEach.length > 0 ? 50 : cost.known;
  return { calls, cost: { ...cost, limit: 50 }, atMost, limit: 50 };
}

function planIn(response: GraphqlResponse): unknown {
  return (response.extensions as { plan?: unknown } | undefined)?.plan;
}

it.each<[string, object[], Cost]>([
  ['{ site(id: "SITE-a b/c") { city } }', [site('SITE-a%20b%2Fc', ['site'])], { known: 1, forEach: [] }],
  [
    `{ c: conversationContext(id: "${conversation.toUpperCase()}") { sites { address s: site { id clients { id } } } } }`,
    [
      { method: 'GET', path: `/v1/conversation/${conversation}/context`, fields: ['c'] },
      site('{id}?include=clients', ['c.sites.s', 'c.sites.s.clients'], 'c.sites'),
    ],
    { known: 1, forEach: [{ list: 'c.sites', calls: 1 }] },
  ],
])('returns the plan of %s without a call', async (query, calls, cost) => {
  const { reference, gateway } = await start();
  const response = await postQuery(gateway.url, query, { headers: plan, key });
  expect(reference.paths).toEqual([]);
  expect(response.status).toBe(200);
  expect(planIn(response)).toEqual(planWith(calls, cost));
  expect(response).not.toHaveProperty('data');
  expect(JSON.stringify(response)).not.toContain(key);
});

it.each<[string, object[], Cost]>([
  [
    '{ site(id: "SITE-1") { id ... @defer { clients { id } } ... @defer { p: primaryProject { id } } } }',
    [site('SITE-1', ['site']), site('SITE-1?include=clients,projects', ['site.clients', 'site.p'])],
    { known: 2, forEach: [] },
  ],
])('returns the plan of %s to a client that accepts incremental delivery', async (query, calls, cost) => {
  const { reference, gateway } = await start();
  const { parts } = await postForParts(gateway.url, query, { headers: plan, key });
  expect(reference.paths).toEqual([]);
  expect(parts).toEqual([{ extensions: { plan: planWith(calls, cost) } }]);
});

const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => `SITE-${from + n}`);
const lists =
  'query ($a: [ID!]!, $b: [ID!]!) { health { reachable } a: sites(ids: $a) { id } b: sites(ids: $b) { city } }';

it.each<[string, string, Record<string, unknown>, Partial<Plan>, string?]>([
  [
    'too many calls',
    lists,
    { a: ids(0, 30), b: ids(20, 40) },
    {
      cost: { known: 61, forEach: [], limit: 50 },
      atMost: 61,
      exceeded: {
        upstreamCalls: 61,
        limit: 50,
        field: 'b',
        message:
          'The operation makes 61 REST calls; at most 50 are allowed. b passes the limit: name at most 19 ids in it, or select it in another operation.',
      },
    },
  ],
  [
    'too many names of one site',
    `query ($a: [ID!]!) { ${[1, 2, 3].map((n) => `a${n}: sites(ids: $a) { id }`).join(' ')} }`,
    { a: Array.from({ length: 50 }, () => 'SITE-1') },
    {
      cost: { known: 1, forEach: [], limit: 50 },
      exceeded: {
        resources: 150,
        limit: 100,
        field: 'a3',
        message:
          'The operation names 150 sites and conversations, duplicates included; at most 100 are allowed. a3 passes the limit: select it in another operation.',
      },
    },
  ],
])('shows what passes the limit first, of an operation with %s', async (_, query, variables, expected) => {
  const { reference, gateway } = await start();
  const planned = await postQuery(gateway.url, query, { variables, headers: plan, key });
  const executed = await postQuery(gateway.url, query, { variables, key });
  expect(reference.paths).toEqual([]);
  expect(planned).toMatchObject({ status: 200, extensions: { plan: expected } });
  expect(planned).not.toHaveProperty('errors');
  const { upstreamCalls, resources, limit } = expected.exceeded ?? {};
  const code = 'OPERATION_TOO_EXPENSIVE';
  expect(executed).toMatchObject({ status: 400, errors: [{ extensions: { code, limit } }] });
  // The check before the execution counts no call but those of sites and conversations, and of health.
  expect(executed.errors?.[0]?.extensions).toMatchObject(resources ? { resources } : { upstreamCalls });
});

it('lists a bounded number of calls', async () => {
  const { gateway } = await start();
  const roots = Array.from({ length: 44 }, (_, n) => n);
  const query = `query (${roots.map((n) => `$v${n}: [ID!]!`).join(' ')}) { ${roots.map((n) => `a${n}: sites(ids: $v${n}) { id }`).join(' ')} }`;
  const variables = Object.fromEntries(roots.map((n) => [`v${n}`, ids(50 * n, 50)]));
  const planned = planIn(await postQuery(gateway.url, query, { variables, headers: plan, key })) as Plan;
  expect(planned.calls).toHaveLength(200);
  expect(planned).toMatchObject({ omittedCalls: 2000, cost: { known: 2200 }, exceeded: { field: 'a2' } });
});

it('requires a key and a valid operation', async () => {
  const { gateway } = await start();
  expect(
    await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', { headers: plan, key: null }),
  ).toMatchObject({ status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  const query = 'query ($id: ID!) { site(id: $id) { id } }';
  expect(await postQuery(gateway.url, query, { headers: plan, key })).toMatchObject({
    status: 400,
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  });
});
