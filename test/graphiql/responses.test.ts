import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { shareUrl } from '../../graphiql/bar/share-url.ts';
import { takeExtension } from '../../graphiql/cost/report/take-extension.ts';
import type { Report } from '../../graphiql/cost/types.ts';
import { messagesByCode } from '../../graphiql/errors/messages-by-code.ts';
import { parseErrorCodes, piecesOf } from '../../graphiql/errors/parse-error-codes.ts';
import { fetchResponse } from '../../graphiql/request/fetch-response.ts';
import { operationNameIn } from '../../graphiql/request/operation-name.ts';
import { isRejection } from '../../graphiql/request/rejection.ts';
import { errorCodes } from '../../src/errors.ts';
import { startUpstream } from '../support/upstream.ts';

const upstream: Report = { calls: [], budget: { spent: 0, limit: 50 } };
const forbidden = { extensions: { code: 'FORBIDDEN' } };

it.each([
  ['a response', { data: 1, extensions: { upstream } }, { data: 1 }],
  ['other extensions', { extensions: { upstream, stale: [] } }, { extensions: { stale: [] } }],
])('takes the report out of %s', (_, response, rest) => {
  const reports: Report[] = [];
  expect(takeExtension(response, 'upstream', (report: Report) => reports.push(report))).toEqual(rest);
  expect(reports).toEqual([upstream]);
});

it('returns a response without a report as it is', () => {
  const response = { data: 1, extensions: { stale: [] } };
  expect(takeExtension(response, 'upstream', () => expect.unreachable())).toBe(response);
});

it('explains every error code', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/errors.md'), 'utf8');
  expect([...parseErrorCodes(page).keys()].sort()).toEqual([...errorCodes].sort());
});

it('reads a line of Markdown without its links', () => {
  expect(piecesOf('Send `a`; see [the page](x.md) of `b`.')).toEqual([
    { text: 'Send ', isCode: false },
    { text: 'a', isCode: true },
    { text: '; see the page of ', isCode: false },
    { text: 'b', isCode: true },
    { text: '.', isCode: false },
  ]);
});

it.each([
  [
    ['FORBIDDEN', 'RATE_LIMITED'],
    { errors: [forbidden, { extensions: { code: 'RATE_LIMITED' } }, forbidden] },
  ],
  [[], { errors: [{ message: 'x' }, { extensions: { code: 1 } }] }],
  [[], { data: { errors: [forbidden] } }],
])('finds the codes %j', (codes, response) => {
  expect([...messagesByCode(JSON.stringify(response)).keys()]).toEqual(codes);
  expect(messagesByCode(JSON.stringify(response).slice(1)).size).toBe(0);
});

it('finds each message of a code once', () => {
  const errors = ['a', 'b', 'a', 1].map((message) => ({ message, extensions: { code: 'X' } }));
  expect([...messagesByCode(JSON.stringify({ errors }))]).toEqual([['X', ['a', 'b']]]);
});

it.each([
  [true, { errors: [forbidden] }],
  [false, { data: { site: null }, errors: [forbidden] }],
  [false, { errors: [forbidden, { extensions: { code: 'UPSTREAM_TIMEOUT' } }] }],
  [false, { data: null }],
])('sees a rejected key: %s', (expected, response) => {
  expect(isRejection(response)).toBe(expected);
});

it('links to an operation and its variables, unless the link would be too long', () => {
  const url = new URL(
    shareUrl('http://127.0.0.1/api/graphql?query=x#y', '{ a(b: "c&d") }', '{"e": 1}') ?? '',
  );
  expect([url.pathname, url.hash, [...url.searchParams]]).toEqual([
    '/api/graphql',
    '',
    [
      ['query', '{ a(b: "c&d") }'],
      ['variables', '{"e": 1}'],
    ],
  ]);
  expect(shareUrl('http://127.0.0.1/graphql', '{ a }', ' ')).not.toContain('variables');
  expect(shareUrl('http://127.0.0.1/graphql', 'x'.repeat(8000), '')).toBeUndefined();
});

it.each([
  ['A', 'A', 'query A { a } query B { b }'],
  [undefined, 'C', 'query A { a } query B { b }'],
  [undefined, null, 'query A { a }'],
  ['C', 'C', 'query A {'],
])('sends the operation name %s for %s of %s', (expected, name, query) => {
  expect(operationNameIn(query, name)).toBe(expected);
});

it.each([
  ['the page of a proxy', 429, '<html><h1>Too many requests</h1></html>'],
  ['nothing', 502, ''],
  ['JSON that is no response', 200, 'null'],
])('explains %s in place of a response', async (_, status, body) => {
  const { url } = await startUpstream((_, res) => res.writeHead(status).end(body));
  const response = await fetchResponse(url);
  expect(await response.json()).toEqual({
    errors: [
      {
        message: `HTTP ${status} without a GraphQL response. It may come from a proxy in front of the gateway.`,
      },
    ],
  });
});

it('explains that there is no response, but not that of a request which is aborted', async () => {
  const { url } = await startUpstream((_, res) => res.destroy());
  const response = await fetchResponse(url);
  expect(await response.json()).toEqual({
    errors: [{ message: 'No response: the gateway cannot be reached.' }],
  });
  await expect(fetchResponse(url, { signal: AbortSignal.abort() })).rejects.toThrow(/aborted/);
});

it('returns the response of a gateway as it is, whatever its status', async () => {
  const { url } = await startUpstream((_, res) => {
    res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '2' }).end('{"errors":[]}');
  });
  const response = await fetchResponse(url);
  expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
    503,
    '2',
    '{"errors":[]}',
  ]);
});
