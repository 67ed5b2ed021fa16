import { bodyOf } from '../../support/wire.ts';
import { deferring, everywhere, failing, refused, schema, site } from './common.ts';
import { contentTypes, explains, forwarded, keys, origins, others } from './fields.ts';
import { type Case, caseOf, get, pipelined, post } from './requests.ts';

const body = bodyOf(site.query);
const json = 'application/json';
const response = 'application/graphql-response+json';

const lines = [
  ...[
    '/graphql?',
    '/graphql?x=1',
    `/graphql?query=%7Bhealth%7Bbody%7D%7D`,
    '/graphql?operationName=X&variables=%7B%7D&documentId=site',
    '/graphql?extensions=x',
    '/graphql/',
    '/graphql/x',
    '//graphql',
  ],
  ...[
    '/Graphql',
    '/graphql#x',
    '/graphql%20',
    '/%67raphql',
    '/graphql;a',
    '/',
    '/x',
    '/graphql.json',
    '*',
    'http://gateway.test/graphql',
    'http://evil.test/graphql?x',
    '/graphql?x=\xe9',
    '/./graphql',
    '/graphql?%',
  ],
  `/graphql?${'a'.repeat(8100)}`,
  `/graphql?${'a'.repeat(8300)}`,
].map((target) => `POST ${target} HTTP/1.1`);

const methods = [
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'post',
  'FOO',
  'CONNECT',
].map((method) => `${method} /graphql HTTP/1.1`);
const versions = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', ''].map(
  (version) => `POST /graphql ${version}`,
);
const closing = { Connection: 'close' };

const gets: Case[] = [
  ...everywhere.flatMap((params) => [
    get({ ...params }),
    get({ ...params }, { fields: { Accept: 'multipart/mixed' } }),
    get({ ...params }, { fields: { 'X-Api-Key': null } }),
  ]),
  ...[
    { query: 'query ($id: ID!) { site(id: $id) { id } }', variables: { id: 'SITE-2' } },
    { query: 'query A { __typename }', operationName: 'A' },
    { query: 'mutation { x }' },
  ].map((params) => get(params)),
  ...[
    {},
    { query: '' },
    { variables: '{' },
    { query: site.query, variables: '7' },
    { query: site.query, variables: '[]' },
    { query: site.query, extensions: 'x' },
    { documentId: 'site' },
    { x: '1' },
  ].map((params) => get(params)),
  get({}, { fields: { Accept: 'text/html', 'Accept-Encoding': '' } }),
  get(site, { fields: { 'Content-Type': json, 'x-explain': 'report' } }),
  caseOf('a GET with a body', body, { line: 'GET /graphql HTTP/1.1' }),
  caseOf('a HEAD', '', { line: 'HEAD /graphql HTTP/1.1', fields: closing }),
  caseOf('a preflight', '', {
    line: 'OPTIONS /graphql HTTP/1.1',
    fields: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST', Connection: 'close' },
  }),
];

const first = post(site);
const named = post({ query: 'query B { site(id: "SITE-2") { id projects { name } } }', operationName: 'B' });
const pairs: Case[] = [
  [first, named],
  [named, first],
  [first, post(failing)],
  [post(failing), first],
  [post(refused), first],
  [first, post(deferring, { fields: { Accept: 'multipart/mixed' } })],
  [first, post({ query: '{ __typename }' })],
  [post({ query: '{ __typename }' }), first, post({ query: '{ __typename }' })],
  [first, get(site)],
  [get(schema), named, first],
  [first, caseOf('no JSON', '{'), named],
  [first, post(site, { fields: closing })],
  [post(site, { fields: closing }), named],
  [first, named, first, named, first, named],
  [post(site, { fields: { 'X-Api-Key': null } }), first],
  [first, caseOf('too much', ' '.repeat(131_073))],
].map((cases) => pipelined(...cases));

/** Of answers that end their connection the later ones never come: these are read to the end. */
const endless = pairs.map((pair) =>
  /Connection: close|Content-Length: 131073/.test(pair.wire) ? { ...pair, responses: 99 } : pair,
);

export const originCases: Case[] = [
  ...[...origins, ...forwarded].flatMap((fields) =>
    [site, failing].map((params) => post(params, { fields })),
  ),
  caseOf('a preflight', '', {
    line: 'OPTIONS /graphql HTTP/1.1',
    fields: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST', Connection: 'close' },
  }),
];

/** A few of every kind. */
export const commonCases: Case[] = [
  ...everywhere.flatMap((params) => [
    post(params),
    post(params, { fields: { Accept: response } }),
    post(params, { fields: { 'X-Api-Key': null } }),
  ]),
  ...everywhere.map((params) => post(params, { fields: { 'x-explain': 'report' } })),
  post(site, { fields: { 'x-explain': 'plan' } }),
  ...['sent-by-the-caller', 'with a blank', ''].map((id) => post(site, { fields: { 'X-Request-Id': id } })),
  post(site, { fields: { 'x-request-id': ['one', 'two'] } }),
  get(site),
];

export const headCases: Case[] = [
  ...contentTypes.map((type) => post(site, { fields: { 'Content-Type': type } })),
  ...keys.flatMap((key) =>
    [site, schema, refused].map((params) => post(params, { fields: { 'X-Api-Key': key } })),
  ),
  ...explains.flatMap((explain) =>
    [
      ...everywhere,
      { query: '{ sites(ids: ["SITE-2", "SITE-1"]) { clients { id } } health { latencyMs } }' },
    ].map((params) => post(params, { fields: { 'x-explain': explain } })),
  ),
  post(site, { fields: { 'x-explain': ['report', 'report'] } }),
  post(deferring, { fields: { 'x-explain': 'report', Accept: 'multipart/mixed' } }),
  ...[...others, ...origins, ...forwarded].flatMap((fields) =>
    [site, refused].map((params) => post(params, { fields })),
  ),
  ...[...lines, ...methods, ...versions].map((line) =>
    caseOf(`the line ${line.slice(0, 200)}`, body, { line, fields: closing }),
  ),
  caseOf('HTTP/1.0 that stays', body, {
    line: 'POST /graphql HTTP/1.0',
    fields: { Connection: 'keep-alive' },
  }),
  ...[2, 3, 10, 300].flatMap((pieces) => [first, named].map((one) => ({ ...one, pieces }))),
  ...gets,
  ...endless,
];
