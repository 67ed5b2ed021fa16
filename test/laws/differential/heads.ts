import { bodyOf } from '../../support/wire.ts';
import { conversationId } from './data.ts';
import type { ParsedParams } from './documents.ts';
import { type Case, caseOf, corpusKey, type Fields, get, pipelined, post } from './requests.ts';

const json = 'application/json';
const response = 'application/graphql-response+json';

/** Documents that heads of every kind are put before: some that are well and some that are not. */
const site = { query: '{ site(id: "SITE-1") { id clients { name } } }' };
const deferring = { query: '{ site(id: "SITE-1") { id ... @defer { clients { name } } } }' };
const failing = { query: '{ site(id: "SITE-s500") { id } b: site(id: "SITE-1") { id } }' };
const rejected = { query: '{ nothing }' };
const schema = { query: '{ __schema { queryType { name } } __typename }' };
const everywhere: ParsedParams[] = [site, deferring, failing, rejected, schema];

const multipart = 'multipart/mixed';
const events = 'text/event-stream';

/** Each kind of media type with each kind of parameter, and pairs of those that the gateway knows. */
export const accepts: (string | readonly string[] | null)[] = [
  ...[json, response, multipart, events, '*/*', 'application/*', 'text/*', 'text/plain', 'a', ''].flatMap(
    (type) =>
      ['', ';q=0', ';q=0.9', '; q=1.5', ' ;q=x', '; charset="utf-8"', ';a="b,c"'].map((q) => type + q),
  ),
  ...[json, response, multipart, events, '*/*', `${json};q=0`, 'text/plain;q=0.5'].flatMap((one, n, all) =>
    all.slice(n).flatMap((other) => [`${one}, ${other}`, `${other},${one}`]),
  ),
  ...['deferSpec=20220824', 'incrementalSpec=v0.2', 'boundary="-"'].flatMap((spec) => [
    ...[`${multipart};${spec}`, `${multipart};${spec},${response},${json};q=0.9`, `${json};${spec}`],
  ]),
  ...[null, ';', ',', 'q=1', 'APPLICATION/JSON', 'MULTIPART/MIXED', `${json};`, `,${json}`, `x${json}`],
  ...[json, response, multipart].flatMap((type) =>
    ['charset=utf8', 'charset=us-ascii', 'charset="utf-8";q=0.5', 'q=0.5;charset=utf-16', 'version=1'].map(
      (parameters) => `${type};${parameters}`,
    ),
  ),
  ...[`${json};q=0,*/*`, `${json};charset=utf8,${events}`],
  ...[`${json}\t,\t${response}`, `${json};a="${response}"`, `${json};Q=0`, `${json};charset=iso-8859-1`],
  ...[
    [json, response],
    ['', json],
    [`${json};q=0`, json],
    [multipart, json],
    [json, multipart],
  ],
  ...['application/json\xe9', 'application/\xff', `${json}, ${'text/plain, '.repeat(500)}`],
];

/** Values of fields, and whole heads; null takes a field away. */
export const contentTypes: (string | readonly string[] | null)[] = [
  ...[...['', '; Charset=UTF-8', ';charset="utf-8"', ';charset=utf-16', ';charset=', ';', ' ;a=b']].map(
    (parameters) => json + parameters,
  ),
  ...['Application/JSON; Charset=UTF-8', `${json};charset=x;charset=utf-8`, ` ${json} `, `${json}\xe9`],
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', response, '*/*'],
  ...['', '/', null, 'application/jso\xf1', 'application/json+x', `${json}, text/plain`, `${json},${json}`],
  ...[
    [json, json],
    [json, 'text/plain'],
    ['text/plain', json],
  ],
];

const keys: (string | readonly string[] | null)[] = [
  null,
  '',
  ' ',
  `\t${corpusKey} `,
  `${corpusKey} ${corpusKey}`,
  `${corpusKey},${corpusKey}`,
  'x',
  `${corpusKey}\xe9`,
  [corpusKey, corpusKey],
  ['', corpusKey],
  'k'.repeat(256),
  'k'.repeat(257),
  '__proto__',
];

const explains = [
  ...['report', 'plan', 'REPORT', 'Report', 'PLAN', 'other', '', ' report ', 'report, plan', 'plan,report'],
  ...['__proto__', 'reportplan', 'report;q=1'],
];

/** Limits of the REST calls of a request, and what is none. */
const callLimits = [
  '1',
  '2',
  '3',
  '51',
  '9'.repeat(400),
  '',
  '0',
  '-1',
  '1.5',
  '01',
  ' 2 ',
  '2, 3',
  'x',
  ['2', '2'],
];

/** What pages of other origins send. */
export const origins: Fields[] = [
  ...[
    ...['https://app.test', 'https://other.test', 'http://app.test', 'null', '*', ''],
    ...['https://app.test, https://other.test', 'HTTPS://APP.TEST', 'https://app.test/'],
  ].map((Origin) => ({ Origin })),
  { Origin: ['https://app.test', 'https://other.test'] },
  { Origin: 'https://app.test', 'X-Api-Key': null },
  { Origin: 'https://app.test', Accept: response },
  { Origin: 'https://app.test', Accept: 'multipart/mixed' },
];

/** What proxies send. */
export const forwarded: Fields[] = [
  ...['https', 'http', 'HTTPS', 'https, http', 'gopher', ''].map((proto) => ({ 'X-Forwarded-Proto': proto })),
  {
    'X-Forwarded-For': '1.2.3.4',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'evil.test',
    Forwarded: 'for=1.2.3.4;host=evil.test;proto=https',
  },
  { 'X-Forwarded-Proto': ['https', 'https'] },
];

/** A few valid values of `Host`, some nearly valid ones, most invalid. */
const oddHosts = ['a.example:80', '', 'a b', '[::1]:80', '[::1', 'a:99999', 'x@y', 'caf\xe9', 'a/b', 'a?x'];

export const others: Fields[] = [
  { 'X-API-KEY': corpusKey, 'X-Api-Key': null },
  { 'X-Api-Key': null, Authorization: `Bearer ${corpusKey}` },
  ...['close', 'keep-alive', 'Close', 'close, keep-alive', 'keep-alive, close', '', 'x-api-key', 'TE'].map(
    (Connection) => ({ Connection }),
  ),
  { Connection: 'keep-alive', 'Keep-Alive': 'timeout=1, max=2' },
  { Connection: 'Upgrade', Upgrade: 'websocket' },
  ...oddHosts.map((Host) => ({ Host })),
  { Host: null },
  { Host: ['gateway.test', 'gateway.test'] },
  ...['gzip', 'gzip, deflate, br', '*', 'identity;q=0', ''].map((coding) => ({ 'Accept-Encoding': coding })),
  {
    'If-None-Match': '*',
    Range: 'bytes=0-1',
    Cookie: '__proto__=1; a=b',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
  { 'X-Long': 'a'.repeat(15_500) },
  { 'X-Long': 'a'.repeat(17_000) },
  Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`X-${n}`, 'a'])),
  { 'X-Api-Key': null, constructor: 'x', ['__proto__']: 'x' },
];

const body = bodyOf(site.query);

const lines = [
  '/graphql?',
  '/graphql?x=1',
  `/graphql?query=%7Bhealth%7Bbody%7D%7D`,
  '/graphql?operationName=X&variables=%7B%7D&documentId=site',
  ...['/graphql?extensions=x', '/graphql/', '/graphql/x', '//graphql', '/Graphql', '/graphql#x'],
  ...['/%67raphql', '/x', '*', 'http://evil.test/graphql?x', '/graphql?x=\xe9', '/./graphql', '/graphql?%'],
  `/graphql?${'a'.repeat(8100)}`,
  `/graphql?${'a'.repeat(8300)}`,
].map((target) => `POST ${target} HTTP/1.1`);

const methods = ['PUT', 'OPTIONS', 'TRACE', 'post', 'CONNECT'].map((method) => `${method} /graphql HTTP/1.1`);
const closing = { Connection: 'close' };

const preflight = caseOf('a preflight', '', {
  line: 'OPTIONS /graphql HTTP/1.1',
  fields: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST', Connection: 'close' },
});

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
    { query: '' },
    { query: site.query, variables: '7' },
    { query: site.query, extensions: 'x' },
    { documentId: 'site' },
  ].map((params) => get(params)),
  get({}, { fields: { Accept: 'text/html', 'Accept-Encoding': '' } }),
  get(site, { fields: { 'Content-Type': json, 'x-explain': 'report' } }),
  caseOf('a GET with a body', body, { line: 'GET /graphql HTTP/1.1' }),
  caseOf('a HEAD', '', { line: 'HEAD /graphql HTTP/1.1', fields: closing }),
  preflight,
];

const first = post(site);
const named = post({ query: 'query B { site(id: "SITE-2") { id projects { name } } }', operationName: 'B' });
const pairs: Case[] = [
  [first, named],
  [first, post(failing)],
  [post(failing), first],
  [post(rejected), first],
  [first, post(deferring, { fields: { Accept: 'multipart/mixed' } })],
  [post({ query: '{ __typename }' }), first, post({ query: '{ __typename }' })],
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
  preflight,
];

/** A few of every kind. */
export const commonCases: Case[] = [
  ...everywhere.flatMap((params) => [
    post(params),
    post(params, { fields: { Accept: response } }),
    post(params, { fields: { 'X-Api-Key': null } }),
  ]),
  ...everywhere.map((params) => post(params, { fields: { 'x-explain': 'report' } })),
  ...everywhere.map((params) => post(params, { fields: { 'x-max-calls': '1' } })),
  post(site, { fields: { 'x-explain': 'plan' } }),
  ...['sent-by-the-caller', 'with a blank', ''].map((id) => post(site, { fields: { 'X-Request-Id': id } })),
  post(site, { fields: { 'x-request-id': ['one', 'two'] } }),
  get(site),
];

export const headCases: Case[] = [
  ...contentTypes.map((type) => post(site, { fields: { 'Content-Type': type } })),
  ...keys.flatMap((key) =>
    [site, schema, rejected].map((params) => post(params, { fields: { 'X-Api-Key': key } })),
  ),
  ...explains.flatMap((explain) =>
    [
      ...everywhere,
      { query: '{ sites(ids: ["SITE-2", "SITE-1"]) { clients { id } } health { latencyMs } }' },
    ].map((params) => post(params, { fields: { 'x-explain': explain } })),
  ),
  ...callLimits.flatMap((limit) =>
    [
      ...everywhere,
      { query: '{ sites(ids: ["SITE-2", "SITE-1"]) { clients { id } } health { reachable } }' },
      {
        query: `{ conversationContext(id: "${conversationId('ab01')}") { sites { site { id clients { id } } } } }`,
      },
      { query: 'query ($id: ID!) { site(id: $id) { id } }' },
    ].flatMap((params) => [
      post(params, { fields: { 'x-max-calls': limit } }),
      post(params, { fields: { 'x-max-calls': limit, 'x-explain': 'report' } }),
    ]),
  ),
  post(deferring, { fields: { 'x-max-calls': '1', Accept: multipart } }),
  get(failing, { fields: { 'x-max-calls': '1' } }),
  post(site, { fields: { 'x-explain': ['report', 'report'] } }),
  post(deferring, { fields: { 'x-explain': 'report', Accept: 'multipart/mixed' } }),
  ...[...others, ...origins, ...forwarded].flatMap((fields) =>
    [site, rejected].map((params) => post(params, { fields })),
  ),
  ...[...lines, ...methods, 'POST /graphql HTTP/1.0', 'POST /graphql HTTP/2.0'].map((line) =>
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

/** What the answer depends on, as long as all is well; of the rest a part. */
export const acceptCases: Case[] = accepts.flatMap((Accept, n) =>
  [n % 2 === 0 ? site : deferring, ...(n % 6 === 0 ? [failing, rejected, schema] : [])].map((params) =>
    post(params, { fields: { Accept } }),
  ),
);
