import { apiKey, startBoth, type TestSettings } from '../support/gateway.ts';
import { sendSiteOrStatus } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, type WireRequest } from '../support/wire.ts';

/** A gateway whose upstream has a site for each status from 400 to 499. */
export async function startKinds(settings: TestSettings = {}) {
  return (await startBoth(settings, sendSiteOrStatus)).gateway;
}

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const bodyFor = (id: string) => bodyOf(`{ site(id: "${id}") { id } }`);
const body = bodyFor('SITE-1');
const parts = bodyOf('{ ... @defer { __typename } }');

export const site: WireRequest = { headers, body };

const accepting = (accept: string, body: string): WireRequest => ({ headers: { ...headers, accept }, body });

/** Every kind of response, with its status and a request that gets it. */
export const kinds: [string, number, WireRequest][] = [
  ['a response', 200, site],
  ['parts', 200, accepting('multipart/mixed', parts)],
  ['events', 200, accepting('text/event-stream', body)],
  ['GET', 200, { method: 'GET', path: '/graphql?query=%7B__typename%7D', headers }],
  ['GraphiQL', 200, { method: 'GET', headers: { accept: 'text/html' } }],
  ['a bad Host', 400, { headers: { ...headers, host: 'a b' }, body }],
  ['malformed JSON', 400, { headers, body: '{' }],
  ['a request error', 400, accepting('application/graphql-response+json', bodyOf('{'))],
  ['a missing key', 403, { headers: jsonHeaders, body }],
  ['a rejected key', 403, { headers, body: bodyFor('SITE-403') }],
  ['another path', 404, { headers, path: '/', body }],
  ['another method', 405, { headers, method: 'DELETE' }],
  ['OPTIONS that no browser sends', 405, { headers, method: 'OPTIONS' }],
  ['no acceptable media type', 406, accepting('image/png', body)],
  ['too large a body', 413, { headers: { ...headers, 'content-length': '1000000' } }],
  ['another media type', 415, { headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' }],
  ['an exceeded rate limit', 429, { headers, body: bodyFor('SITE-429') }],
];
