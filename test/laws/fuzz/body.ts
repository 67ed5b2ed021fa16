import fc from 'fast-check';
import { noRequests } from '../../support/odd.ts';
import { documents } from './document.ts';
import { oddities } from './text.ts';

/** UTF-8, one byte a character. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const site =
  'query Q($id: ID! = "SITE-1") { site(id: $id) { id city clients { name } ... @defer { projects { name } } } }';
const good = [
  { query: '{ __typename }' },
  { query: site, variables: { id: 'SITE-2' } },
  { query: site, variables: { id: 'SITE-10 Örnsköldsvik 東京' }, operationName: 'Q', extensions: {} },
  { query: '{ sites(ids: ["SITE-1", "SITE-2", "SITE-403"]) { id } health { status } }', variables: null },
  {
    query:
      '{ conversationContext(id: "5f0c2a9e-3b1d-4c5a-9e7f-00000000ab01") { sites { site { id } } messages @stream { text } } }',
  },
  { query: '{ __schema { types { name } } }', operationName: null },
];

export const goodBodies: fc.Arbitrary<string> = fc
  .constantFrom(...good)
  .map((params) => bytesOf(JSON.stringify(params)));

const query = '"query":"{ site(id: \\"SITE-1\\") { id } }"';

/** Unusual and invalid JSON. */
const ill = [
  ...noRequests,
  ...[
    `{${query}`,
    `{${query},}`,
    `{${query}}}`,
    `{${query}} {}`,
    `[{${query}},{${query}}]`,
    `{'query':'{ __typename }'}`,
  ],
  ...[
    `{${query},"query":7}`,
    `{"query":7,${query}}`,
    `{${query},"variables":{"id":1e999}}`,
    `{${query},"variables":NaN}`,
  ],
  ...[
    `{${query},"variables":{"id":${'9'.repeat(400)}}}`,
    `{${query},"variables":{"id":-0}}`,
    `{${query},"variables":"{}"}`,
  ],
  ...[
    `{${query},"variables":[]}`,
    `{${query},"variables":7}`,
    `{${query},"operationName":7}`,
    `{${query},"operationName":{}}`,
  ],
  ...[
    `{${query},"operationName":"toString"}`,
    `{${query},"extensions":7}`,
    `{${query},"extensions":[]}`,
    `{${query},"documentId":7}`,
  ],
  ...[
    `{${query},"__proto__":{"query":"{ x }"}}`,
    '{"__proto__":{"query":"{ __typename }"}}',
    `{${query},"constructor":{}}`,
  ],
  ...[
    `{"query":{"toString":"x"}}`,
    '{"query":["{ __typename }"]}',
    '{"query":null}',
    '{"query":""}',
    '{"query":" "}',
    '{"query":7}',
  ],
  ...[
    '{"documentId":"sha256:0"}',
    '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"0"}}}',
    '{"documentId":"x"}',
  ],
  ...[
    '{"query":"\\ud800"}',
    '{"query":"{ site(id: \\"SITE-\\ud800\\") { id } }"}',
    '{"query":"\\u0000"}',
    `\xef\xbb\xbf{${query}}`,
  ],
  ...[
    '{"query":"\xed\xa0\x80"}',
    '{"query":"\xff"}',
    '{"query":"\xc0\xaf"}',
    '\xff\xfe{\0}\0',
    '\x1f\x8b\x08\0\0\0\0\0',
    '{"query":"\x01"}',
  ],
  ...[
    '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{}\r\n--x--\r\n',
    'query=%7B__typename%7D',
    '{ __typename }',
  ],
];

/** Bodies of every kind. */
export const bodies: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: goodBodies },
  { weight: 5, arbitrary: fc.constantFrom(...ill) },
  { weight: 3, arbitrary: documents.map((params) => bytesOf(JSON.stringify(params))) },
  { weight: 1, arbitrary: oddities.map((json) => bytesOf(JSON.stringify(json))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('[', '{"a":', '{"query":[', '"'), fc.constantFrom(100, 5000, 20_000))
      .map(([text, count]) => text.repeat(count)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('x', '\xc3\xa9', ' '), fc.constantFrom(131_000, 131_072, 200_000))
      .map(([text, length]) => `{${query},"x":"${text.repeat(length / text.length)}"}`),
  },
);
