import { bodyOf } from '../../support/wire.ts';
import { bytesOf, type Case, caseOf, post } from './requests.ts';

/** Bodies around one valid document. Both executors get what one reader has read of them. */
const query = '{ site(id: "SITE-1") { id city } }';
const asJson = `"query":${JSON.stringify(query)}`;

const hash = (version: unknown, sha256Hash: unknown) => ({ persistedQuery: { version, sha256Hash } });

/** JSON values in every place of a request. */
const literals = [
  ...[null, 7, '', 'X', 'toString', '\ud800', true, [], {}, { a: { b: [{ c: null }] } }, 'site', 'two'],
  ...['__proto__', ['{ __typename }'], `{ site(id: "SITE-\ud800") { id } }`, { persistedQuery: null }],
  ...[hash(1, 'site'), hash(2, 'site'), hash(1, 'unknown'), hash(1, 7)],
].map((value) => JSON.stringify(value));

const texts = [
  ...['', ' ', 'null', '7', '"x"', '[]', '[{}]', '{}', '{', '{"query"', '{"query":}', '\0', 'undefined'],
  ...['query', 'variables', 'operationName', 'extensions', 'documentId'].flatMap((name) =>
    [...literals, '{"id":1e999}', '{"__proto__":{"a":1}}'].map((value) => `{${asJson},"${name}":${value}}`),
  ),
  ...['extensions', 'documentId'].flatMap((name) =>
    literals.flatMap((value) => [
      `{"${name}":${value}}`,
      `{"query":"","${name}":${value},"operationName":"A"}`,
    ]),
  ),
  ...['site', 'two'].map((id) => `{"documentId":"${id}","extensions":${JSON.stringify(hash(1, 'three'))}}`),
  ...['site', 'three'].map((id) => `{"documentId":"${id}","variables":{"id":"SITE-2"}}`),
  ...['A', 'B'].map((name) => `{"documentId":"two","operationName":"${name}","variables":{"id":"SITE-2"}}`),
  ...[`{${asJson}`, `[{${asJson}}]`, `{"query":7,${asJson}}`, `{"__proto__":{${asJson}}}`],
  `{${asJson},"constructor":{},"hasOwnProperty":1,"id":1,"queries":[],"":0}`,
  `{${asJson},"operationName":"X","operationName":null}`,
  '['.repeat(5000),
];

export const bodyCases: Case[] = [
  ...texts.map((text) => caseOf(`body ${text.slice(0, 200)}`, bytesOf(text))),
  caseOf('bytes that are no text', `{${asJson},"x":"\xff"}`),
  ...[131_072, 131_073].map((length) => caseOf(`a body of ${length} bytes`, bodyOf(query).padEnd(length))),
  caseOf('chunks', bodyOf(query), {
    frame: (body) => ({
      fields: { 'Transfer-Encoding': 'chunked', Trailer: 'x' },
      bytes: `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nX: y\r\n\r\n`,
    }),
  }),
  caseOf('Content-Encoding: gzip', bodyOf(query), { fields: { 'Content-Encoding': 'gzip' } }),
  post({ query: `${query} # é東京😀\u2028` }),
  post({ query, variables: { x: '\ud800 é' } }),
];
