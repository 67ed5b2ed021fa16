import { isScalarType, isSpecifiedScalarType } from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { violationsOn, withChromium } from '../support/browser.ts';
import { createGate } from '../support/gate.ts';
import { apiKey, startGateway } from '../support/gateway.ts';
import { writeManifest } from '../support/manifest.ts';
import {
  bareSite,
  type Script,
  sendJson,
  sendSite,
  siteFromPath,
  startCity,
  startUpstream,
} from '../support/upstream.ts';
import { canInstall, followGuide, type Guide, page } from './guide.ts';
import { clients, newerApollo, type Outcome, openNewerApollo, type Portico } from './guide-clients.ts';
import { openSitePage, reactClients } from './guide-pages.ts';

/*
 * docs/frontend.md, followed with the newest packages; its clients and recipes, run against a gateway. It
 * takes more than ten seconds to install them.
 */

/** An operation in a folder, in a file of the other ending. */
const nested = `// src/heading/heading.tsx
import { graphql } from '../generated/gql.ts';

export const heading = graphql(\`
  query Heading($id: ID!) {
    site(id: $id) {
      city
    }
  }
\`);
`;

let isReachable = false;
let guide: Guide;
beforeAll(async () => {
  isReachable = await canInstall();
  if (isReachable) guide = await followGuide([nested, newerApollo]);
}, 600_000);
beforeEach(({ skip }) => skip(!isReachable, 'The npm registry is not reachable.'));
afterAll(() => guide?.remove());

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

/** A gateway; its upstream has one status for calls with relations, and another one for those without. */
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

const live = { LIVE: 'on', LIVE_INTERVAL_S: '1' };

const withoutRelay = ['fetch', 'graphql-request', 'urql', 'Apollo Client'] as const;

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

it('names every package that its files import, with a graphql below 17', () => {
  const { dependencies, devDependencies } = JSON.parse(guide.textOf('package.json'));
  const imports = guide.sources.flatMap((path) => [
    ...guide.textOf(path).matchAll(/ from '((?:@[^/']+\/)?[^./'][^/']*)/g),
  ]);
  expect(imports).not.toEqual([]);
  const installed = Object.keys({ ...dependencies, ...devDependencies });
  expect(installed).toEqual(expect.arrayContaining(imports.map(([, name]) => name)));
  expect(dependencies.graphql).toMatch(/^\^16\./);
});

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
    'src/relay/__generated__/SitePageQuery.graphql.ts',
  ].map(guide.textOf);
  expect(types).toMatch(/updatedAt: string \| null /);
  expect(types).toMatch(/estimatedDay1: string \| null /);
  expect(relayTypes).toMatch(/updatedAt: string \| null \| undefined;/);
});

it('generates the types of the operations in all folders, and in .tsx files', () => {
  const types = guide.textOf('src/generated/graphql.ts');
  expect(types).toContain('export type HeadingQuery =');
  expect(types).not.toContain('SitePageClient');
});

it('generates the types of live queries', () => {
  const types = guide.textOf('src/generated/graphql.ts');
  expect(types).toMatch(/LiveSiteSubscription = \{.*live: \{.*site: .*city: string \| null/);
});

it('shows the cost of an operation in the editor', () => {
  const costs = [
    ...guide.textOf('src/generated/graphql.ts').matchAll(/^\/\*\* (.*) \*\/\nexport const (\w+)/gm),
  ];
  expect(Object.fromEntries(costs.map(([, cost, name]) => [name, cost]))).toMatchObject({
    SiteCardDocument: '2 REST calls',
    SiteListDocument: '$ids REST calls',
    LiveSiteDocument: '1 REST call a round of polls',
  });
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

it.each([
  ['urql', clients.urql],
  ['Apollo Client with Defer20220824Handler', clients['Apollo Client']],
  ['Apollo Client with GraphQL17Alpha9Handler', openNewerApollo],
])('%s gets the card, then the relations', async (_, open) => {
  const { upstream, gateway } = await start();
  const client = await open(guide, gateway.url);
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
  expect(last?.data).toMatchObject({ site: { id, city, updatedAt, primaryClient: { name: 'Ada' } } });
  expect(more).toEqual([]);
  expect(upstream.paths()).toEqual([bare, `${bare}?include=clients`]);
});

it.each(['fetch', 'urql', 'Apollo Client'] as const)(
  '%s sends ids only, and gets the data of trusted documents',
  async (name) => {
    const { gateway } = await start({ env: await trusting() });
    const client = await clients[name](guide, gateway.url, true);
    expect((await client.siteCard('SITE-1')).at(-1)).toEqual({ data: whole, errors: [] });
    const withTexts = await clients[name](guide, gateway.url);
    expect((await withTexts.siteCard('SITE-1')).map(codesOf)).toEqual([['BAD_REQUEST']]);
  },
);

it.each([
  ['fetch', 'BAD_REQUEST'],
  ['urql', 'PERSISTED_QUERY_NOT_SUPPORTED'],
  ['Relay', 'BAD_REQUEST'],
] as const)(
  '%s, set up to send ids only, fails on a gateway without the manifest by %s',
  async (name, code) => {
    const { upstream, gateway } = await start();
    const client = await clients[name](guide, gateway.url, true);
    expect((await client.siteCard('SITE-1')).map(codesOf)).toEqual([[code]]);
    expect(upstream.requests).toEqual([]);
  },
);

it('Apollo Client, set up to send ids, sends the text to a gateway without the manifest', async () => {
  const { gateway } = await start();
  const client = await clients['Apollo Client'](guide, gateway.url, true);
  expect((await client.siteCard('SITE-1')).at(-1)).toEqual({ data: whole, errors: [] });
});

it('Relay sends the text of an operation that is compiled without persistConfig', async () => {
  const { gateway } = await start();
  const { createEnvironment } = await guide.load<{
    createEnvironment(portico: Portico): { getNetwork(): { execute(...args: object[]): Executed } };
  }>('src/relay/environment.ts');
  interface Executed {
    subscribe(observer: {
      next(part: { data?: unknown }): void;
      complete(): void;
      error(e: Error): void;
    }): void;
  }
  const texts = Object.values(JSON.parse(guide.textOf('relay-documents.json')) as Record<string, string>);
  const text = texts.find((text) => text.includes('query SitePageQuery'));
  const network = createEnvironment({ url: gateway.url, apiKey }).getNetwork();
  const first = await new Promise((resolve, reject) => {
    const params = { id: null, text, name: 'SitePageQuery', operationKind: 'query', metadata: {} };
    const observer = { next: resolve, complete: () => {}, error: reject };
    network.execute(params, { id: 'SITE-1' }, {}).subscribe(observer);
  });
  expect(first).toMatchObject({ data: { site: { id: 'SITE-1', city: card.city } } });
});

it.each(withoutRelay)('%s gets the card beside the errors of its relations', async (name) => {
  const { gateway } = await start({ status: 503, bareStatus: 200 });
  const client = await clients[name](guide, gateway.url);
  const last = (await client.siteCard('SITE-1')).at(-1);
  const [operation] = await gateway.logged('operation');
  // The others accept parts, or plain JSON alone.
  expect(operation?.status).toBe(name === 'graphql-request' ? 294 : 200);
  expect(last?.data).toMatchObject({ site: card });
  const { errorAt, retryAfter } = await guide.load<{
    errorAt(errors: Outcome['errors'], ...path: string[]): { extensions: object } | undefined;
    retryAfter(errors: Outcome['errors']): number | undefined;
  }>('src/errors.ts');
  const errors = last?.errors ?? [];
  expect(errorAt(errors, 'site', 'primaryClient')?.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(errorAt(errors, 'site', 'city')).toBeUndefined();
  expect(retryAfter(errors)).toBe(10);
});

it.each(Object.entries(clients))(
  '%s gets the wait of a rate limit, and no wait of a rejected key',
  async (_, open) => {
    const { retryAfter } = await guide.load<{ retryAfter(errors: Outcome['errors']): number | undefined }>(
      'src/errors.ts',
    );
    const isRelay = open === clients.Relay;
    const expected = [
      { status: 429, code: 'RATE_LIMITED', waitS: 7, got: 429 },
      { status: 403, code: 'FORBIDDEN', waitS: undefined, got: 403 },
    ];
    const tooDeep = { status: 200, settings: { depth: 1 }, code: 'OPERATION_TOO_COMPLEX' };
    const rejections: ((typeof expected)[number] & { settings?: NodeJS.ProcessEnv })[] = [
      ...expected,
      // Trusted documents, which Relay sends, may be of any depth.
      ...(isRelay ? [] : [{ ...tooDeep, waitS: undefined, got: open === clients.fetch ? 400 : 422 }]),
    ];
    for (const { status, code, waitS, settings, got } of rejections) {
      const env = { ...settings, ...(isRelay && (await trusting())) };
      const { gateway } = await start({ status, env });
      const states = await (await open(guide, gateway.url)).siteCard('SITE-1');
      expect(states.map(codesOf)).toEqual([[code]]);
      expect(retryAfter(states[0]?.errors ?? [])).toBe(waitS);
      expect((await gateway.logged('operation'))[0]?.status).toBe(got);
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

it('begins with a request that works as pasted', async () => {
  const [, snippet = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const { gateway } = await start();
  const pasted = snippet.replace('http://127.0.0.1:4000/graphql', gateway.url);
  expect(pasted).not.toBe(snippet);
  const module = `data:text/javascript,${encodeURIComponent(`${pasted}export { data, errors };`)}`;
  const { data, errors } = await import(module);
  expect(data).toEqual({ site: { city: 'Bend', primaryClient: { name: 'Bob' } } });
  expect(errors).toBeUndefined();
});

/** The page of a client in a browser, in front of an upstream that runs this script. */
async function openReact(
  name: (typeof reactClients)[number],
  script: Script,
  options?: { disconnects: boolean },
) {
  const upstream = await startUpstream(script);
  const { url } = await startGateway(upstream.url, name === 'Relay' ? await trusting() : {});
  return { upstream, ...(await openSitePage(guide, name, url, options)) };
}

/** Bend and Ada; each call gets the status that `statusOf` has for whether it expands relations, once it has one. */
const respond =
  (statusOf: (isExpanded: boolean) => number | Promise<number>): Script =>
  async (req, res) => {
    const status = await statusOf(siteFromPath(req.url ?? '').include.length > 0);
    const clients = [{ id: 'CLIENT-1', name: 'Ada', isPrimary: true }];
    sendSite(req, res, { city: 'Bend', clients }, status);
  };

withChromium.for(reactClients)('shows a site by %s in React, then its primary client', async (name) => {
  const expanded = createGate<number>();
  const { upstream, show, text, page, errors } = await openReact(
    name,
    respond((isExpanded) => (isExpanded ? expanded.promise : 200)),
  );
  await show('SITE-1');
  await expect.poll(text).toBe('Bend\n\nLoading the primary client…');
  expanded.open(200);
  await expect.poll(text).toBe('Bend\n\nPrimary client: Ada');
  const [first, second, ...more] = upstream.paths();
  expect([first, second?.replace(',projects', ''), more]).toEqual([bare, `${bare}?include=clients`, []]);
  expect(await violationsOn(page)).toEqual([]);
  expect(errors).toEqual([]);
});

const cases = {
  'that does not exist': { status: 404, expandedStatus: 404, expected: /^There is no site\.$/ },
  'that failed': { status: 503, expandedStatus: 503, expected: /^The site could not be loaded: / },
  'that was rejected with its whole operation': {
    status: 429,
    expandedStatus: 429,
    expected: /^The site could not be loaded: /,
  },
  'whose relations failed': {
    status: 200,
    expandedStatus: 503,
    expected: /^Bend\s+The primary client could not be loaded: /,
  },
};

withChromium.for(
  reactClients.flatMap((name) => Object.entries(cases).map((entry) => [name, ...entry] as const)),
)(
  'says in React what is absent and what failed, by %s: a site %s',
  async ([name, , { status, expandedStatus, expected }]) => {
    const { upstream, show, text } = await openReact(
      name,
      respond((isExpanded) => (isExpanded ? expandedStatus : status)),
    );
    await show('SITE-1');
    await expect.poll(text).toMatch(expected);
    expect(upstream.paths()[0]).toMatch(bare);
  },
);

withChromium.for(reactClients)('says in React that a connection was lost, by %s', async (name) => {
  const { upstream, show, text } = await openReact(
    name,
    respond(() => 200),
    { disconnects: true },
  );
  await show('SITE-1');
  await expect.poll(text).toMatch(/^The site could not be loaded: ./);
  expect(upstream.requests).toEqual([]);
});

withChromium.for(reactClients)(
  'never takes a site that failed before for one that does not exist, in React by %s',
  async (name) => {
    const { show, text, page } = await openReact(
      name,
      respond(() => 503),
    );
    await show('SITE-1');
    await expect.poll(text).toMatch(/^The site could not be loaded: /);
    await page.evaluate(() => {
      const seen = new Set<string>();
      const look = () => void seen.add(document.querySelector('main')?.innerText ?? '');
      new MutationObserver(look).observe(document.body, {
        childList: true,
        subtree: true,
        characterData: true,
      });
      Object.assign(window, { seen });
    });
    await show('SITE-1');
    await expect.poll(text).toMatch(/^The site could not be loaded: /);
    const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
    expect(seen).toContain(await text());
    expect(seen).not.toContain('There is no site.');
  },
);

withChromium.for(reactClients)(
  'shows another site in the same page, never as the former one, by %s',
  async (name) => {
    const statuses: Record<string, number | Promise<number>> = { 'SITE-1': 200, 'SITE-2': 403 };
    const { show, change, text } = await openReact(name, async (req, res) => {
      const { id } = siteFromPath(req.url ?? '');
      sendSite(req, res, { city: id }, await statuses[id]);
    });
    await show('SITE-1');
    await expect.poll(text).toMatch(/^SITE-1/);
    for (const id of ['SITE-3', 'SITE-4']) {
      const status = createGate<number>();
      statuses[id] = status.promise;
      await change(id);
      await expect.poll(text).toBe('Loading the site…');
      status.open(200);
      await expect.poll(text).toMatch(new RegExp(`^${id}`));
      await change('SITE-2');
      await expect.poll(text).toMatch(/^The site could not be loaded: /);
    }
  },
);

withChromium(
  'says in React from the second attempt that a live query has no connection, by urql',
  async () => {
    const { url } = await startGateway('http://127.0.0.1:9', live);
    const { showLive, text } = await openSitePage(guide, 'urql', url, { disconnects: true });
    await showLive('SITE-1');
    await expect.poll(text).toBe('Loading the site…');
    await expect.poll(text).toBe('The site could not be loaded: no connection, trying again');
  },
);

withChromium(
  'shows a live query by urql in React: its error, a change, and no stream once unmounted',
  async () => {
    const { state, upstream } = await startCity();
    state.status = 500;
    const gateway = await startGateway(upstream.url, live);
    const { showLive, unmount, text, page, errors } = await openSitePage(guide, 'urql', gateway.url);
    await showLive('SITE-1');
    await expect.poll(text).toMatch(/^The site could not be loaded: ./);
    state.status = 200;
    await expect.poll(text).toBe('Bend');
    state.city = 'Salem';
    await expect.poll(text).toBe('Salem');
    expect(new Set(upstream.paths())).toEqual(new Set([bare]));
    expect(await violationsOn(page)).toEqual([]);
    await unmount();
    expect(await gateway.logged('operation')).toMatchObject([{ stream: true }]);
    expect(errors).toEqual([]);
  },
);
