import { expect, it } from 'vitest';
import { acceptsSomething, incrementalTypeOf, streamTypeOf } from '../../src/operation/request.ts';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';
import { bareSite, type Script, sendJson, siteFromPath } from '../support/upstream.ts';
import { bodyOf, send } from '../support/wire.ts';

const mixed = 'multipart/mixed';
const events = 'text/event-stream';

it.each<[string | null, string | undefined, boolean]>([
  [null, undefined, true],
  ['', undefined, true],
  ['*/*', undefined, true],
  ['application/json', undefined, true],
  ['application/graphql-response+json; charset=utf-8, application/json;q=0.9', undefined, true],
  [mixed, mixed, true],
  ['multipart/mixed; DeferSpec="20220824"', mixed, true],
  ['multipart/*', undefined, true],
  [events, events, true],
  ['text/*', undefined, true],
  ['multipart/*, text/event-stream', events, true],
  ['text/event-stream, */*', events, true],
  ['text/event-stream, multipart/mixed', mixed, true],
  ['multipart/mixed;q=0, text/event-stream', events, true],
  ['multipart/mixed; Q=0.000, application/json', undefined, true],
  ['multipart/mixed;q=0.1, application/json', mixed, true],
  ['multipart/mixed;incrementalSpec=v0.2', undefined, false],
  ['multipart/mixed;INCREMENTALSPEC="v0.2", multipart/mixed', mixed, true],
  ['multipart/mixed;incrementalSpec=v0.2, text/event-stream', events, true],
  ['multipart/mixed;deferSpec=20220824;incrementalSpec=v0.2, */*', undefined, true],
  ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', undefined, true],
  ['multipart/*;incrementalSpec=v0.2', undefined, false],
  ['image/png', undefined, false],
  ['application/json;q=0', undefined, false],
])('reads %j as: incremental type %s, any response accepted: %s', (accept, parts, something) => {
  expect(incrementalTypeOf(accept)).toBe(parts);
  expect(acceptsSomething(accept)).toBe(something);
});

it.each([
  ['application/json, Text/Event-Stream;q=0.5', 'text/event-stream'],
  ['multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json', 'multipart/mixed'],
  ['multipart/mixed; subscriptionSpec="1.0"', 'multipart/mixed'],
  ['text/event-stream;q=0, multipart/mixed;subscriptionSpec=1.0', 'multipart/mixed'],
  ['multipart/mixed;subscriptionSpec=2.0', undefined],
  ['multipart/mixed;deferSpec=20220824, application/json', undefined],
  ['multipart/mixed', undefined],
  ['text/event-stream;q=0.0', undefined],
  ['*/*', undefined],
  [undefined, undefined],
])('reads the type of a stream in Accept: %s', (accept, type) => {
  expect(streamTypeOf(accept)).toBe(type);
});

it('makes no call where no response is accepted', async () => {
  const { upstream, gateway } = await startBoth();
  const headers = { accept: 'multipart/mixed;incrementalSpec=v0.2' };
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', { headers });
  expect(upstream.requests).toEqual([]);
  expect(response.status).toBe(406);
  expect(response.errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_REQUEST' }]);
});

const deferring = '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }';
const sendClients: Script = (req, res) => {
  const { id, include } = siteFromPath(req.url ?? '');
  sendJson(res, { ...bareSite(id), ...(include.length > 0 && { clients: [] }) });
};
const bare = '/v1/site/SITE-1';
const withClients = `${bare}?include=clients`;

it.each<[string | null, string, string[]]>([
  [null, 'application/json', [withClients]],
  ['application/json, */*', 'application/json', [withClients]],
  ['multipart/mixed;incrementalSpec=v0.2, text/*', events, [withClients]],
  [`${mixed}, */*`, mixed, [bare, withClients]],
  [`${events}, */*`, events, [bare, withClients]],
  [`multipart/mixed;incrementalSpec=v0.2, ${events}`, events, [bare, withClients]],
])(
  'responds to a deferring operation with Accept %j in %s, and makes the calls for that form',
  async (accept, type, calls) => {
    const { upstream, gateway } = await startBoth({}, sendClients);
    const response = await send(gateway.origin, {
      headers: {
        'content-type': 'application/json',
        'x-api-key': apiKey,
        ...(accept !== null && { accept }),
      },
      body: bodyOf(deferring),
    });
    expect(upstream.paths()).toEqual(calls);
    expect(response.status).toBe(200);
    expect(response.headers['content-type']?.split(';')[0]).toBe(type);
    const site = calls.length === 1 ? '{"id":"SITE-1","clients":[]}' : '{"id":"SITE-1"}';
    expect(response.body).toContain(`{"data":{"site":${site}}`);
    expect(response.body.includes('hasNext')).toBe(calls.length === 2);
  },
);
