import { isScalarType, isSpecifiedScalarType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { startGateway } from '../support/gateway.ts';
import { writeManifest } from '../support/manifest.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { buildGuide, type Guide } from './guide.ts';
import { clients, type Outcome } from './guide-clients.ts';

/* Each file of docs/frontend.md, run against a gateway. */

let guide: Guide;
beforeAll(async () => {
  guide = await buildGuide();
});
afterAll(() => guide.remove());

const bare = '/v1/site/SITE-1';
const expanded = `${bare}?include=clients,projects`;

const card = {
  id: 'SITE-1',
  address1: '1 Main St',
  city: 'Bend',
  serviceLevelLabel: 'Priority',
  updatedAt: '2026-03-02T14:05:00Z',
};
const relations = {
  primaryClient: { id: 'CLIENT-1', name: 'Ada' },
  projects: [{ id: 'PROJECT-1', name: 'Roof', stage: 'planned', estimatedDay1: '2026-05-01' }],
};

/** A gateway whose upstream responds to calls with relations by this status, and to those without by the other one. */
async function start({
  status = 200,
  bareStatus = status,
  env = {},
}: {
  status?: number;
  bareStatus?: number;
  env?: NodeJS.ProcessEnv;
} = {}) {
  const upstream = await startUpstream((req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    const { serviceLevelLabel: serviceLevel, ...site } = card;
    const expansion = {
      ...(include.includes('clients') && {
        clients: [{ id: 'CLIENT-1', name: id === 'SITE-1' ? 'Ada' : 'Bob', isPrimary: true }],
      }),
      ...(include.includes('projects') && { projects: relations.projects }),
    };
    const sent = include.length > 0 ? status : bareStatus;
    sendJson(res, { ...bareSite(id), ...site, id, serviceLevel, ...expansion }, sent, { 'retry-after': '7' });
  });
  return { upstream, gateway: await startGateway(upstream.url, env) };
}

/** The documents of the page, as the generators of both formats wrote them, and nothing else. */
async function trusting(): Promise<NodeJS.ProcessEnv> {
  const manifests = ['src/generated/persisted-documents.json', 'relay-documents.json'];
  const { path } = await writeManifest(
    Object.assign({}, ...manifests.map((manifest) => JSON.parse(guide.textOf(manifest)))),
  );
  return { TRUSTED_DOCUMENTS: path, TRUSTED_DOCUMENTS_ONLY: 'on' };
}

const whole = { site: { ...card, ...relations } };
const codesOf = ({ errors }: Outcome) => errors.map(({ extensions }) => extensions?.code);

it('maps every scalar of the schema in the configuration of both generators', () => {
  const scalars = Object.values(schema.getTypeMap())
    .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
    .map(({ name }) => name)
    .sort();
  const [, mapped = ''] = /scalars: \{(.*)\}/.exec(guide.textOf('codegen.ts')) ?? [];
  expect([...mapped.matchAll(/(\w+):/g)].map(([, name]) => name)).toEqual(scalars);
  expect(Object.keys(JSON.parse(guide.textOf('relay.config.json')).customScalarTypes)).toEqual(scalars);
});

it('generates strings for DateTime and Date', () => {
  const [types, relayTypes] = [
    'src/generated/graphql.ts',
    'src/relay/__generated__/SiteCardQuery.graphql.ts',
  ].map(guide.textOf);
  expect(types).toMatch(/updatedAt: string \| null /);
  expect(types).toMatch(/estimatedDay1: string \| null /);
  expect(relayTypes).toMatch(/updatedAt: string \| null \| undefined;/);
});

it.each(['fetch', 'graphql-request'] as const)(
  '%s gets a deferred fragment in one complete response',
  async (name) => {
    const { upstream, gateway } = await start();
    const client = await clients[name](guide, gateway.url);
    expect(await client.siteCard('SITE-1')).toEqual([{ data: whole, errors: [] }]);
    expect(upstream.paths()).toEqual([expanded]);
  },
);

it.each(['urql', 'Apollo Client'] as const)('%s gets the card, then the relations', async (name) => {
  const { upstream, gateway } = await start();
  const client = await clients[name](guide, gateway.url);
  const states = await client.siteCard('SITE-1');
  expect(states.at(0)).toEqual({ data: { site: card }, errors: [] });
  expect(states.at(-1)).toEqual({ data: whole, errors: [] });
  expect(upstream.paths()).toEqual([bare, expanded]);
});

it('Relay gets the card, then the relations', async () => {
  const { upstream, gateway } = await start({ env: await trusting() });
  const client = await clients.Relay(guide, gateway.url);
  const [first, last, ...more] = await client.siteCard('SITE-1');
  const { id, city, updatedAt } = card;
  expect(first?.data).toEqual({ site: { id, city, updatedAt } });
  expect(last?.data).toMatchObject({
    site: {
      id,
      city,
      updatedAt,
      primaryClient: { name: 'Ada' },
      projects: [{ estimatedDay1: '2026-05-01' }],
    },
  });
  expect(more).toEqual([]);
  expect(upstream.paths()).toEqual([bare, expanded]);
});

it.each(['fetch', 'graphql-request', 'urql', 'Apollo Client'] as const)(
  '%s sends ids only, and gets the data of trusted documents',
  async (name) => {
    const { gateway } = await start({ env: await trusting() });
    const client = await clients[name](guide, gateway.url, true);
    expect((await client.siteCard('SITE-1')).at(-1)).toEqual({ data: whole, errors: [] });
    const withTexts = await clients[name](guide, gateway.url);
    expect((await withTexts.siteCard('SITE-1')).map(codesOf)).toEqual([['BAD_REQUEST']]);
  },
);

it.each(['fetch', 'graphql-request', 'urql', 'Apollo Client'] as const)(
  '%s gets the card beside the errors of its relations',
  async (name) => {
    const { gateway } = await start({ status: 503, bareStatus: 200 });
    const client = await clients[name](guide, gateway.url);
    const last = (await client.siteCard('SITE-1')).at(-1);
    expect(last?.data).toMatchObject({ site: card });
    const { errorAt, retryAfter } = await guide.load<{
      errorAt(errors: Outcome['errors'], ...path: string[]): { extensions: object } | undefined;
      retryAfter(errors: Outcome['errors']): number | undefined;
    }>('src/errors.ts');
    const errors = last?.errors ?? [];
    expect(errorAt(errors, 'site', 'primaryClient')?.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(errorAt(errors, 'site', 'city')).toBeUndefined();
    expect(retryAfter(errors)).toBe(10);
  },
);

it.each(Object.entries(clients))(
  '%s gets the wait of a rate limit, and no wait of a refused key',
  async (_, open) => {
    const { retryAfter } = await guide.load<{ retryAfter(errors: Outcome['errors']): number | undefined }>(
      'src/errors.ts',
    );
    const expected = [
      { status: 429, code: 'RATE_LIMITED', waitS: 7 },
      { status: 403, code: 'FORBIDDEN', waitS: undefined },
    ];
    for (const { status, code, waitS } of expected) {
      const { gateway } = await start({ status, env: open === clients.Relay ? await trusting() : {} });
      const states = await (await open(guide, gateway.url)).siteCard('SITE-1');
      expect(states.map(codesOf)).toEqual([[code]]);
      expect(retryAfter(states[0]?.errors ?? [])).toBe(waitS);
    }
  },
);

it.each(['Apollo Client', 'Relay'] as const)(
  '%s stores a site by its id, and the others in it',
  async (name) => {
    const { gateway } = await start({ env: name === 'Relay' ? await trusting() : {} });
    const client = await clients[name](guide, gateway.url);
    await client.siteCard('SITE-1');
    expect(client.stored?.()).toEqual(['Site:SITE-1']);
  },
);

it.each(['urql', 'Apollo Client'] as const)(
  '%s keeps two clients of one id apart, because they belong to two sites',
  async (name) => {
    const { upstream, gateway } = await start();
    const client = await clients[name](guide, gateway.url);
    await client.siteCard('SITE-1');
    await client.siteCard('SITE-2');
    expect(upstream.requests).toHaveLength(4);
    expect((await client.siteCard('SITE-1')).at(-1)?.data).toEqual(whole);
    expect(upstream.requests).toHaveLength(4);
  },
);
