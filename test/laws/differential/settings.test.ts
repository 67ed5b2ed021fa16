import { it } from 'vitest';
import type { TestSettings } from '../../support/gateway.ts';
import { writeManifest } from '../../support/manifest.ts';
import { scale } from '../../support/scale.ts';
import { bodyCases } from './bodies.ts';
import { expectSame, timeout } from './comparison.ts';
import { conversationId } from './data.ts';
import { commonCases, originCases } from './heads.ts';
import { type Case, post } from './requests.ts';

const reporting = { fields: { 'x-explain': 'report' } };

const manifest = {
  site: 'query ($id: ID = "SITE-3") { site(id: $id) { city id } }',
  two: 'query A { site(id: "SITE-1") { id } } query B { site(id: "SITE-2") { city } }',
  three: '{ site(id: "SITE-3") { id } }',
  same: '{ site(id: "SITE-1") { id city } }',
  deferred: '{ site(id: "SITE-1") { id ... @defer { clients { name } } } }',
  large: `{ site(id: "SITE-1") { ${Array.from({ length: 400 }, (_, n) => `a${n}: id`).join(' ')} } }`,
  failing: '{ site(id: "SITE-s500") { id } }',
  ['__proto__']: '{ site(id: "SITE-4") { id } }',
};

const byId: Case[] = [
  ...Object.keys(manifest).flatMap((documentId) => [
    post({ documentId, operationName: 'B' }),
    post({ extensions: { persistedQuery: { version: 1, sha256Hash: documentId } } }),
    post({ documentId, query: manifest.same }),
    ...[{}, { Accept: 'multipart/mixed' }, { 'x-explain': 'report' }].map((fields) =>
      post({ documentId, variables: { id: 'SITE-2' } }, { fields }),
    ),
  ]),
  ...Object.values(manifest).map((query) => post({ query })),
];

const aboutIds = bodyCases.filter(({ name }) => /documentId|persistedQuery/.test(name));

const ids = JSON.stringify(Array.from({ length: 50 }, (_, n) => `SITE-m${n}`));
const costly: Case[] = [
  '{ sites(ids: ["SITE-1", "SITE-2", "SITE-3"]) { id } }',
  `{ conversationContext(id: "${conversationId('a009')}") { sites { site { id } } } health { reachable } }`,
  '{ a: site(id: "SITE-c500") { clients { id } } b: site(id: "SITE-1") { id } }',
  `{ sites(ids: ${ids}) { id } }`,
].flatMap((query) => [post({ query }), post({ query }, reporting)]);

const persistent: Case[] = [
  '{ site(id: "SITE-1") { id clients { id } } }',
  '{ site(id: "SITE-1") { id projects { id } } health { reachable } }',
  '{ sites(ids: ["SITE-2", "SITE-o500", "SITE-o404", "SITE-s404", "SITE-same", "SITE-o429", "SITE-o403"]) { id } }',
  '{ a: site(id: "SITE-o502") { id } b: site(id: "SITE-o502") { projects { id } } site(id: "SITE-1") { id sla } }',
  '{ site(id: "SITE-o500a") { createdAt city ... @defer { clients { id } } } }',
].flatMap((query) => [post({ query }), post({ query }, reporting)]);

const entities = (selections: string, ...representations: unknown[]): Case[] => {
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ${selections} } }`;
  const params = { query, variables: { r: representations } };
  return [post(params), post(params, reporting), post(params, { fields: { Accept: 'multipart/mixed' } })];
};
const site = (id: string) => ({ __typename: 'Site', id });
const conversation = { __typename: 'ConversationContext', id: conversationId('ab01') };

const represented: Case[] = [
  ...entities('__typename ... on Site { id city }', site('SITE-1'), conversation, site('SITE-1')),
  ...entities('... on ConversationContext { subject sites { site { id } } }', conversation),
  ...entities(
    '... on _Entity { a: __typename ... on Site { ... on _Entity { b: __typename } } }',
    site('SITE-2'),
  ),
  ...entities('... on Site { id ... @defer { clients { name } } }', site('SITE-1')),
  ...entities('... on Site { id }', site('SITE-s500'), site('x'), { __typename: 'Client', id: 'x' }, 'x', {}),
  ...entities('__typename'),
  ...entities('... on Site { id }', null),
  ...entities('... on Site { id }', ...Array.from({ length: 51 }, (_, n) => site(`SITE-m${n}`))),
  post({ query: '{ _service { sdl a: sdl __typename } b: _service { sdl } }' }),
];

const small = {
  characters: 60,
  tokens: 14,
  depth: 2,
  selections: 3,
  maxIds: 1,
  maxBodyBytes: 1024,
  maxErrors: 1,
};

/** The settings, the cases with each, and how many of them the fast path answers at least. */
const rows: [TestSettings, Case[], number][] = [
  [{ FEDERATION: 'on' }, [...represented, ...commonCases], 30],
  [{ INTROSPECTION: 'off' }, commonCases, 10],
  [{ INTROSPECTION: 'key' }, commonCases, 15],
  [{ CORS_ORIGINS: 'https://app.test' }, originCases, 15],
  [{ MAX_UPSTREAM_CALLS: '2' }, [...costly, ...commonCases], 20],
  [{ CACHE_TTL_MS: '600000', CACHE_STALE_IF_ERROR_MS: '600000' }, persistent, 10],
  [small, [...commonCases, ...costly], 10],
  [{ documentCacheBytes: 20_000 }, [...commonCases, ...commonCases], 40],
  [{ SITE_ID_PREFIX: 'HOUSE' }, commonCases, 6],
  [{ maxUpstreamBytes: 1024 }, [...commonCases, ...persistent], 6],
  // It opens, and stays so: no probe comes in time.
  [{ minFailures: 1, probeMs: 60_000 }, [...costly, ...commonCases], 0],
];
// The quick run has the first row, which has errors and data of all kinds.
it.each(scale > 1 ? rows : rows.slice(0, 1))(
  'answers like the full pipeline with %o',
  { timeout },
  async (env, cases, atLeastEligible) => {
    await expectSame(cases, atLeastEligible, env);
  },
);

it.each(['off', 'on'])(
  'answers trusted documents like the full pipeline, TRUSTED_DOCUMENTS_ONLY=%s',
  async (only) => {
    const { path } = await writeManifest(manifest);
    const env = { TRUSTED_DOCUMENTS: path, TRUSTED_DOCUMENTS_ONLY: only };
    await expectSame([...byId, ...aboutIds], 50, env);
  },
  timeout,
);
