import { noRequests } from '../../support/odd.ts';
import { bodyOf } from '../../support/wire.ts';
import { bytesOf, type Case, caseOf, chunkedBy, post } from './requests.ts';

/** Bodies of every kind around one document that is well. */
const query = '{ site(id: "SITE-1") { id city } }';
const asJson = `"query":${JSON.stringify(query)}`;

const texts = [
  ...noRequests,
  ...[
    `{${asJson}`,
    `{${asJson},}`,
    `{${asJson}}}`,
    `{${asJson}} {}`,
    `{${asJson}}\n`,
    ` \t\r\n{${asJson}} `,
    `[{${asJson}}]`,
    `[{${asJson}},{${asJson}}]`,
  ],
  ...[
    `{${asJson},"query":7}`,
    `{"query":7,${asJson}}`,
    `{${asJson},"query":null}`,
    `{${asJson},${asJson}}`,
    `{"variables":{},${asJson}}`,
    `{${asJson},"Query":"{"}`,
  ],
  ...[
    `{${asJson},"variables":{"a":1},"variables":{}}`,
    `{${asJson},"operationName":"X","operationName":null}`,
    `{${asJson},'x':1}`,
    `{${asJson},x:1}`,
    `{${asJson}/**/}`,
  ],
  ...[
    'null',
    '7',
    '"{}"',
    '[]',
    '[1]',
    'true',
    '{}',
    '{"id":1e999}',
    '{"id":-0}',
    `{"id":${'9'.repeat(400)}}`,
    '{"a":{"b":[{"c":null}]}}',
    '{"__proto__":{"a":1}}',
    '""',
  ].map((value) => `{${asJson},"variables":${value}}`),
  ...['null', '7', '""', '"X"', '{}', '[]', 'true', '"toString"'].map(
    (value) => `{${asJson},"operationName":${value}}`,
  ),
  ...[
    'null',
    '7',
    '"x"',
    '[]',
    '{}',
    'true',
    '{"a":1}',
    '{"persistedQuery":null}',
    '{"persistedQuery":7}',
    '{"persistedQuery":{}}',
    '{"persistedQuery":{"version":1}}',
  ].map((value) => `{${asJson},"extensions":${value}}`),
  ...[
    '{"persistedQuery":{"version":1,"sha256Hash":"site"}}',
    '{"persistedQuery":{"version":2,"sha256Hash":"site"}}',
    '{"persistedQuery":{"sha256Hash":"unknown"}}',
    '{"persistedQuery":{"version":1,"sha256Hash":7}}',
  ].flatMap((value) => [
    `{${asJson},"extensions":${value}}`,
    `{"extensions":${value}}`,
    `{"query":"","extensions":${value}}`,
    `{"query":null,"extensions":${value}}`,
  ]),
  ...['"site"', '"unknown"', '""', 'null', '7', '{}', '["site"]', 'true', '"__proto__"', '"two"'].flatMap(
    (value) => [
      `{${asJson},"documentId":${value}}`,
      `{"documentId":${value}}`,
      `{"query":"","documentId":${value}}`,
      `{"documentId":${value},"operationName":"A","variables":{"id":"SITE-2"}}`,
      `{"documentId":${value},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"three"}}}`,
    ],
  ),
  ...[
    `{${asJson},"__proto__":{"query":"{ x }"}}`,
    `{"__proto__":{${asJson}}}`,
    `{${asJson},"constructor":{}}`,
    `{${asJson},"id":1,"queries":[],"":0}`,
    `{${asJson},"hasOwnProperty":1}`,
  ],
  ...[
    '{"query":null}',
    '{"query":""}',
    '{"query":" "}',
    '{"query":7}',
    '{"query":{}}',
    '{"query":["{ __typename }"]}',
    '{"query":true}',
    '{"query":"\\ud800"}',
    '{"query":"\\u0000"}',
  ],
  ...[
    '{"query":"{ site(id: \\"SITE-\\ud800\\") { id } }"}',
    '{"query":"{ \\u005f_typename }"}',
    `{"quer\\u0079":${JSON.stringify(query)}}`,
    `{${asJson},"x":"\\ud800"}`,
  ],
  ...['[', '{"a":', '"'].map((text) => text.repeat(5000)),
  `{${asJson},"x":${'['.repeat(400)}${']'.repeat(400)}}`,
];

/** Bytes that are no text. */
const bytes = [
  ...[
    `\xef\xbb\xbf{${asJson}}`,
    `\xef\xbb\xbf\xef\xbb\xbf{${asJson}}`,
    `{${asJson},"x":"\xff"}`,
    '{"query":"\xed\xa0\x80"}',
    '{"query":"\xc0\xaf"}',
  ],
  ...[
    `\xff\xfe${[...`{${asJson}}`].join('\0')}\0`,
    `{${asJson},"x":"\xc3"}`,
    `{${asJson}}\xc3`,
    `{${asJson},"x":"\x01"}`,
    '\x1f\x8b\x08\0\0\0\0\0',
    `{${asJson},"x":"\xf0\x9f\x98\x80"}`,
  ],
  ...[
    'query=%7B__typename%7D',
    query,
    '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{}\r\n--x--\r\n',
  ],
];

/** The largest body there may be, and its neighbours. */
const limit = 131_072;
const large = [limit - 1, limit, limit + 1, 2 * limit].map((length) => bodyOf(query).padEnd(length));
const wide = [limit, limit + 2].map(
  (length) => `{${asJson},"x":"${'\xc3\xa9'.repeat((length - asJson.length - 9) / 2)}"}`,
);

const common = bodyOf(query);
const size = (body: string) => ({ 'Content-Length': String(body.length) });

export const bodyCases: Case[] = [
  ...texts.map((text) => caseOf(`body ${text.slice(0, 200)}`, bytesOf(text))),
  ...bytes.map((text) => caseOf(`bytes ${JSON.stringify(text.slice(0, 100))}`, text)),
  ...[...large, ...wide].map((text) => caseOf(`a body of ${text.length} bytes`, text)),
  ...[1, 7, 1000].map((length) => caseOf(`chunks of ${length}`, common, { frame: chunkedBy(length) })),
  ...large.map((text) => caseOf(`chunks of ${text.length} bytes in all`, text, { frame: chunkedBy(4000) })),
  caseOf('no chunk at all', '', { frame: chunkedBy(1) }),
  caseOf('a trailer', common, {
    frame: (body) => ({
      fields: { 'Transfer-Encoding': 'chunked', Trailer: 'x' },
      bytes: `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nX: y\r\n\r\n`,
    }),
  }),
  caseOf('no length', '', { frame: (body) => ({ fields: {}, bytes: body }) }),
  caseOf('a length of zero', '', { frame: (body) => ({ fields: size(body), bytes: body }) }),
  ...['100-continue', '100-Continue', '200-ok'].map((expect) =>
    caseOf(`Expect: ${expect}`, common, { fields: { Expect: expect } }),
  ),
  caseOf('Expect and too much', large[2] ?? '', { fields: { Expect: '100-continue', Connection: 'close' } }),
  ...['gzip', 'identity', '', 'br', 'x'].map((coding) =>
    caseOf(`Content-Encoding: ${coding}`, common, { fields: { 'Content-Encoding': coding } }),
  ),
  post({ query: `${query} # é東京😀\u2028` }),
  post({ query, variables: { x: '\ud800 é' } }),
];
