import { expect, it } from 'vitest';
import { takeExtension } from '../../graphiql/cost/report/take-extension.ts';
import type { Report } from '../../graphiql/cost/types.ts';
import { codesIn, parseErrorCodes } from '../../graphiql/errors/error-codes.ts';
import { fetchResponse } from '../../graphiql/request/fetch-response.ts';
import { operationNameIn } from '../../graphiql/request/operation-name.ts';
import { errorCodes } from '../../src/schema/errors.ts';
import { textOf } from '../support/files.ts';
import { startUpstream } from '../support/upstream.ts';

const upstream: Report = { calls: [], quota: { remaining: 1, limit: 2, resetSeconds: 3 } };
const forbidden = { extensions: { code: 'FORBIDDEN' } };

it.each([
  ['a response', { data: 1, extensions: { upstream } }, { data: 1 }],
  ['other extensions', { extensions: { upstream, stale: [] } }, { extensions: { stale: [] } }],
])('takes the report out of %s', (_, response, rest) => {
  const reports: Report[] = [];
  expect(takeExtension(response, 'upstream', (report: Report) => reports.push(report))).toEqual(rest);
  expect(reports).toEqual([upstream]);
});

it('explains every error code', () => {
  const page = textOf('docs/errors.md');
  expect([...parseErrorCodes(page).keys()].sort()).toEqual([...errorCodes].sort());
});

it.each([
  [
    ['FORBIDDEN', 'RATE_LIMITED'],
    { errors: [forbidden, { extensions: { code: 'RATE_LIMITED' } }, forbidden] },
  ],
  [[], { errors: [{ message: 'x' }, { extensions: {} }] }],
  [[], { data: { errors: [forbidden] } }],
])('finds the codes %j', (codes, response) => {
  expect(codesIn(JSON.stringify(response))).toEqual(codes);
  expect(codesIn(JSON.stringify(response).slice(1))).toEqual([]);
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
