import { bodyOf } from '../../support/wire.ts';
import { bytesOf, type Case, caseOf, chunkedBy, post } from './requests.ts';

/** Bodies of every kind around one valid document. */
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
  ...[`{${asJson}`, `{${asJson},}`, `{${asJson}} {}`, ` \t\r\n{${asJson}} `, `[{${asJson}}]`],
  ...[`{"query":7,${asJson}}`, `{"variables":{},${asJson}}`, `{${asJson},"Query":"{"}`, `{${asJson},x:1}`],
  ...[`{"__proto__":{${asJson}}}`, `{${asJson},"__proto__":{"query":"{ x }"}}`],
  `{${asJson},"constructor":{},"hasOwnProperty":1,"id":1,"queries":[],"":0}`,
  `{${asJson},"operationName":"X","operationName":null}`,
  `{"quer\\u0079":${JSON.stringify(query)}}`,
  ...['[', '{"a":', '"'].map((text) => text.repeat(5000)),
  `{${asJson},"x":${'['.repeat(400)}${']'.repeat(400)}}`,
];

/** Bytes that are no text. */
const bytes = [
  ...[
    `\xef\xbb\xbf{${asJson}}`,
    `{${asJson},"x":"\xff"}`,
    '{"query":"\xed\xa0\x80"}',
    `{${asJson},"x":"\x01"}`,
  ],
  ...[`\xff\xfe${[...`{${asJson}}`].join('\0')}\0`, `{${asJson},"x":"\xf0\x9f\x98\x80"}`, query],
  ...['\x1f\x8b\x08\0\0\0\0\0', 'query=%7B__typename%7D'],
];

/** The largest body that is accepted, and its neighbours. */
const limit = 131_072;
const large = [limit - 1, limit, limit + 1].map((length) => bodyOf(query).padEnd(length));

const common = bodyOf(query);

export const bodyCases: Case[] = [
  ...texts.map((text) => caseOf(`body ${text.slice(0, 200)}`, bytesOf(text))),
  ...bytes.map((text) => caseOf(`bytes ${JSON.stringify(text.slice(0, 100))}`, text)),
  ...large.map((text) => caseOf(`a body of ${text.length} bytes`, text)),
  ...[1, 7, 1000].map((length) => caseOf(`chunks of ${length}`, common, { frame: chunkedBy(length) })),
  ...large.map((text) => caseOf(`chunks of ${text.length} bytes in all`, text, { frame: chunkedBy(4000) })),
  caseOf('a trailer', common, {
    frame: (body) => ({
      fields: { 'Transfer-Encoding': 'chunked', Trailer: 'x' },
      bytes: `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nX: y\r\n\r\n`,
    }),
  }),
  caseOf('no length', '', { frame: (body) => ({ fields: {}, bytes: body }) }),
  ...['100-continue', '200-ok'].map((expect) =>
    caseOf(`Expect: ${expect}`, common, { fields: { Expect: expect } }),
  ),
  ...['gzip', 'identity', ''].map((coding) =>
    caseOf(`Content-Encoding: ${coding}`, common, { fields: { 'Content-Encoding': coding } }),
  ),
  post({ query: `${query} # é東京😀\u2028` }),
  post({ query, variables: { x: '\ud800 é' } }),
];
