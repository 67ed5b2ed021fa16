import { bodyOf } from '../../support/wire.ts';
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

/** Fields of pages of other origins. */
export const origins: Fields[] = [
  ...['https://app.test', 'https://other.test', 'null', '*', '', 'HTTPS://APP.TEST'].map((Origin) => ({
    Origin,
  })),
  { Origin: ['https://app.test', 'https://other.test'] },
  { Origin: 'https://app.test', 'X-Api-Key': null },
  { Origin: 'https://app.test', Accept: multipart },
];

/** Header fields that decide nothing for either executor, or send a request to the full pipeline. */
export const others: Fields[] = [
  ...[null, '', `${corpusKey},${corpusKey}`, 'k'.repeat(257)].map((key) => ({ 'X-Api-Key': key })),
  ...['close', 'keep-alive', ''].map((Connection) => ({ Connection })),
  ...['', 'a b', null].map((Host) => ({ Host })),
  ...['text/plain', `${json}; Charset=UTF-8`, null].map((type) => ({ 'Content-Type': type })),
  ...['report', 'plan', 'other'].map((word) => ({ 'x-explain': word })),
  ...['1', '51', '1.5'].map((limit) => ({ 'x-max-calls': limit, 'x-explain': 'report' })),
  { 'X-Api-Key': null, Authorization: `Bearer ${corpusKey}` },
  {
    ...{ 'If-None-Match': '*', Range: 'bytes=0-1', Cookie: '__proto__=1; a=b', 'Accept-Encoding': 'gzip' },
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
  { 'X-Long': 'a'.repeat(17_000) },
  { 'X-Api-Key': null, constructor: 'x', ['__proto__']: 'x' },
];

const body = bodyOf(site.query);
const closing = { Connection: 'close' };

const lines = [
  'PUT /graphql HTTP/1.1',
  'POST /graphql/? HTTP/1.1',
  'POST /graphql HTTP/1.0',
  'post * HTTP/1.1',
];

const preflight = caseOf('a preflight', '', {
  line: 'OPTIONS /graphql HTTP/1.1',
  fields: { Origin: 'https://app.test', 'Access-Control-Request-Method': 'POST', Connection: 'close' },
});

const gets: Case[] = [
  ...everywhere.map((params) => get({ ...params })),
  get({ query: site.query, variables: '7' }),
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
  pipelined(get(schema), named, first),
  pipelined(first, caseOf('no JSON', '{'), named),
  toTheEnd(pipelined(post(site, { fields: closing }), named)),
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

export const headCases: Case[] = [
  ...[...others, ...origins].flatMap((fields) => [site, rejected].map((params) => post(params, { fields }))),
  ...lines.map((line) => caseOf(`the line ${line}`, body, { line, fields: closing })),
  ...[2, 300].map((pieces) => ({ ...first, pieces })),
  ...gets,
  ...pairs,
];

/** The response depends on the field as long as all succeeds; a part of the others is enough. */
export const acceptCases: Case[] = accepts.flatMap((Accept, n) =>
  [n % 2 === 0 ? site : deferring, ...(n % 6 === 0 ? [failing, rejected, schema] : [])].map((params) =>
    post(params, { fields: { Accept } }),
  ),
);
