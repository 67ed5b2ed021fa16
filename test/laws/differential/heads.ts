import { bodyOf } from '../../support/wire.ts';
import { conversationId } from './data.ts';
import type { ParsedParams } from './documents.ts';
import { type Case, caseOf, corpusKey, type Fields, get, pipelined, post } from './requests.ts';

/** A field's value; a list stands on lines of its own, and null takes the field away. */
type Value = string | readonly string[] | null;

const json = 'application/json';
const response = 'application/graphql-response+json';
const multipart = 'multipart/mixed';
const events = 'text/event-stream';

/** Documents for heads of every kind: some succeed and some do not. */
const site = { query: '{ site(id: "SITE-1") { id clients { name } } }' };
const deferring = { query: '{ site(id: "SITE-1") { id ... @defer { clients { name } } } }' };
const failing = { query: '{ site(id: "SITE-s500") { id } b: site(id: "SITE-1") { id } }' };
const rejected = { query: '{ nothing }' };
const schema = { query: '{ __schema { queryType { name } } __typename }' };
const everywhere: ParsedParams[] = [site, deferring, failing, rejected, schema];

/** Each kind of media type with each kind of parameter, and pairs of those that the gateway knows. */
export const accepts: Value[] = [
  ...[json, response, multipart, events, '*/*', 'application/*', 'text/plain', ''].flatMap((type) =>
    ['', ';q=0', ';q=0.9', '; q=1.5', ' ;q=x', '; charset="utf-8"', ';a="b,c"'].map((q) => type + q),
  ),
  ...[json, response, multipart, events, '*/*', `${json};q=0`, 'text/plain;q=0.5'].flatMap((one, n, all) =>
    all.slice(n).flatMap((other) => [`${one}, ${other}`, `${other},${one}`]),
  ),
  ...['deferSpec=20220824', 'incrementalSpec=v0.2', 'boundary="-"'].flatMap((spec) => [
    ...[`${multipart};${spec}`, `${multipart};${spec},${response},${json};q=0.9`, `${json};${spec}`],
  ]),
  ...['charset=utf8', 'charset="utf-8";q=0.5', 'q=0.5;charset=utf-16'].map((text) => `${json};${text}`),
  ...[null, ';', ',', 'q=1', 'APPLICATION/JSON', 'MULTIPART/MIXED', `,${json}`, `x${json}`, `${json};Q=0`],
  ...[`${json};q=0,*/*`, `${json}\t,\t${response}`, `${json};a="${response}"`, 'application/json\xe9'],
  ...[
    [json, response],
    [`${json};q=0`, json],
    [multipart, json],
  ],
];

export const contentTypes: Value[] = [
  ...['', '; Charset=UTF-8', ';charset=utf-16', ';charset=', ';', ' ;a=b'].map(
    (parameters) => json + parameters,
  ),
  ...['text/plain', 'multipart/form-data; boundary=x', response, '*/*', '', null, `${json}\xe9`, ` ${json} `],
  ...['application/json+x', `${json}, text/plain`],
  [json, json],
  [json, 'text/plain'],
];

const keys: Value[] = [
  ...[null, '', `\t${corpusKey} `, `${corpusKey},${corpusKey}`, 'x', `${corpusKey}\xe9`, '__proto__'],
  ...['k'.repeat(256), 'k'.repeat(257)],
  [corpusKey, corpusKey],
  ['', corpusKey],
];

const explains = ['report', 'plan', 'Report', 'other', '', ' report ', 'report, plan', '__proto__'];

const callLimits: Value[] = ['1', '2', '3', '51', '9'.repeat(400), '', '0', '1.5', ' 2 ', 'x', ['2', '2']];

/** Fields of pages of other origins. */
export const origins: Fields[] = [
  ...['https://app.test', 'https://other.test', 'null', '*', '', 'HTTPS://APP.TEST'].map((Origin) => ({
    Origin,
  })),
  { Origin: ['https://app.test', 'https://other.test'] },
  { Origin: 'https://app.test', 'X-Api-Key': null },
  { Origin: 'https://app.test', Accept: multipart },
];

export const others: Fields[] = [
  { 'X-API-KEY': corpusKey, 'X-Api-Key': null },
  { 'X-Api-Key': null, Authorization: `Bearer ${corpusKey}` },
  ...['close', 'keep-alive', 'close, keep-alive', '', 'x-api-key'].map((Connection) => ({ Connection })),
  { Connection: 'Upgrade', Upgrade: 'websocket' },
  ...['a.example:80', '', 'a b', '[::1]:80', 'x@y', 'caf\xe9', null].map((Host) => ({ Host })),
  { Host: ['gateway.test', 'gateway.test'] },
  ...['gzip', '*', ''].map((coding) => ({ 'Accept-Encoding': coding })),
  { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.test', Forwarded: 'for=1.2.3.4;proto=https' },
  {
    ...{ 'If-None-Match': '*', Range: 'bytes=0-1', Cookie: '__proto__=1; a=b' },
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
  { 'X-Long': 'a'.repeat(15_500) },
  { 'X-Long': 'a'.repeat(17_000) },
  Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`X-${n}`, 'a'])),
  { 'X-Api-Key': null, constructor: 'x', ['__proto__']: 'x' },
];

const body = bodyOf(site.query);
const closing = { Connection: 'close' };

const lines = [
  ...['/graphql?', '/graphql?query=%7Bhealth%7Bbody%7D%7D', '/graphql/', '/%67raphql', '/x', '*'].map(
    (target) => `POST ${target} HTTP/1.1`,
  ),
  ...['PUT', 'TRACE', 'post'].map((method) => `${method} /graphql HTTP/1.1`),
  ...['POST /graphql HTTP/1.0', 'POST /graphql HTTP/2.0', 'POST /graphql?x=\xe9 HTTP/1.1'],
];

const preflight = caseOf('a preflight', '', {
  line: 'OPTIONS /graphql HTTP/1.1',
  fields: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST', Connection: 'close' },
});

const gets: Case[] = [
  ...everywhere.flatMap((params) => [
    get({ ...params }),
    get({ ...params }, { fields: { Accept: multipart } }),
    get({ ...params }, { fields: { 'X-Api-Key': null } }),
  ]),
  ...[
    { query: 'query ($id: ID!) { site(id: $id) { id } }', variables: { id: 'SITE-2' } },
    { query: 'mutation { x }' },
    { query: site.query, variables: '7' },
    { query: site.query, extensions: 'x' },
    { documentId: 'site' },
  ].map((params) => get(params)),
  get({}, { fields: { Accept: 'text/html', 'Accept-Encoding': '' } }),
  caseOf('a GET with a body', body, { line: 'GET /graphql HTTP/1.1' }),
  caseOf('a HEAD', '', { line: 'HEAD /graphql HTTP/1.1', fields: closing }),
  preflight,
];

const first = post(site);
const named = post({ query: 'query B { site(id: "SITE-2") { id projects { name } } }', operationName: 'B' });
/** The later responses of a pair never come if an earlier one ends the connection: it is read to the end. */
const toTheEnd = (pair: Case): Case => ({ ...pair, responses: 99 });
const pairs: Case[] = [
  pipelined(first, named, first),
  pipelined(post(failing), first),
  pipelined(first, post(deferring, { fields: { Accept: multipart } })),
  pipelined(get(schema), named, first),
  pipelined(first, caseOf('no JSON', '{'), named),
  toTheEnd(pipelined(post(site, { fields: closing }), named)),
  toTheEnd(pipelined(first, caseOf('too much', ' '.repeat(131_073)))),
];

export const originCases: Case[] = [
  ...origins.flatMap((fields) => [site, failing].map((params) => post(params, { fields }))),
  preflight,
];

/** A few of every kind. */
export const commonCases: Case[] = [
  ...everywhere.flatMap((params) =>
    [{}, { Accept: response }, { 'X-Api-Key': null }, { 'x-explain': 'report' }, { 'x-max-calls': '1' }].map(
      (fields) => post(params, { fields }),
    ),
  ),
  post(site, { fields: { 'x-explain': 'plan' } }),
  ...['sent-by-the-caller', 'with a blank', ''].map((id) => post(site, { fields: { 'X-Request-Id': id } })),
  post(site, { fields: { 'x-request-id': ['one', 'two'] } }),
  get(site),
];

const ofSeveralCalls = [
  ...everywhere,
  { query: '{ sites(ids: ["SITE-2", "SITE-1"]) { clients { id } } health { latencyMs } }' },
  {
    query: `{ conversationContext(id: "${conversationId('ab01')}") { sites { site { id clients { id } } } } }`,
  },
];

export const headCases: Case[] = [
  ...contentTypes.map((type) => post(site, { fields: { 'Content-Type': type } })),
  ...keys.flatMap((key) =>
    [site, schema, rejected].map((params) => post(params, { fields: { 'X-Api-Key': key } })),
  ),
  ...explains.flatMap((explain) =>
    ofSeveralCalls.map((params) => post(params, { fields: { 'x-explain': explain } })),
  ),
  ...callLimits.flatMap((limit) =>
    ofSeveralCalls.flatMap((params) => [
      post(params, { fields: { 'x-max-calls': limit } }),
      post(params, { fields: { 'x-max-calls': limit, 'x-explain': 'report' } }),
    ]),
  ),
  post(deferring, { fields: { 'x-max-calls': '1', Accept: multipart } }),
  get(failing, { fields: { 'x-max-calls': '1' } }),
  post(site, { fields: { 'x-explain': ['report', 'report'] } }),
  post(deferring, { fields: { 'x-explain': 'report', Accept: multipart } }),
  ...[...others, ...origins].flatMap((fields) => [site, rejected].map((params) => post(params, { fields }))),
  ...lines.map((line) => caseOf(`the line ${line}`, body, { line, fields: closing })),
  ...[2, 3, 10, 300].flatMap((pieces) => [first, named].map((one) => ({ ...one, pieces }))),
  ...gets,
  ...pairs,
];

/** The response depends on the field as long as all succeeds; a part of the others is enough. */
export const acceptCases: Case[] = accepts.flatMap((Accept, n) =>
  [n % 2 === 0 ? site : deferring, ...(n % 6 === 0 ? [failing, rejected, schema] : [])].map((params) =>
    post(params, { fields: { Accept } }),
  ),
);
