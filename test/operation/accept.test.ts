import fc from 'fast-check';
import { expect, it } from 'vitest';
import { acceptedIn, incrementalFormatOf, streamTypeOf, typeIn } from '../../src/operation/accept.ts';
import { apiKey, postOperation, postQuery, startBoth } from '../support/gateway.ts';
import { bareSite, type Script, sendJson, siteFromPath } from '../support/upstream.ts';
import { bodyOf, send } from '../support/wire.ts';

const mixed = 'multipart/mixed';
const events = 'text/event-stream';
const mixed02 = `${mixed}; incrementalSpec=v0.2`;
const events02 = `${events}; incrementalSpec=v0.2`;

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
  ['multipart/mixed;incrementalSpec=v0.2', mixed02, true],
  ['multipart/mixed;INCREMENTALSPEC="v0.2", multipart/mixed', mixed02, true],
  ['multipart/mixed, multipart/mixed;incrementalSpec=v0.2', mixed, true],
  ['multipart/mixed;incrementalSpec=v0.2;q=0, multipart/mixed;deferSpec=20220824', mixed, true],
  ['text/event-stream;incrementalSpec=v0.2, application/json', events02, true],
  ['multipart/mixed;incrementalSpec=v0.1', undefined, false],
  ['multipart/mixed;incrementalSpec=v0.3', undefined, false],
  ['multipart/mixed;incrementalSpec=v0.3, text/event-stream', events, true],
  ['multipart/mixed;deferSpec=20220824;incrementalSpec=v0.2, */*', undefined, true],
  ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', undefined, true],
  ['multipart/*;incrementalSpec=v0.2', undefined, true],
  ['image/png', undefined, false],
  ['application/json;q=0', undefined, false],
  ['application/json;charset=us-ascii', undefined, true],
  ['multipart/mixed;charset=utf8', mixed, true],
])('reads %j as: incremental format %s, any response accepted: %s', (accept, parts, something) => {
  const format = incrementalFormatOf(accept);
  expect(format && typeIn(format.spec, format.type)).toBe(parts);
  expect(acceptedIn(accept ?? '').length > 0 || !accept).toBe(something);
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
  ['multipart/mixed;incrementalSpec=v0.3, text/*', events, [withClients]],
  [`${mixed}, */*`, mixed, [bare, withClients]],
  [`${events}, */*`, events, [bare, withClients]],
  [`multipart/mixed;incrementalSpec=v0.3, ${events}`, events, [bare, withClients]],
  [`multipart/mixed;incrementalSpec=v0.2, ${events}`, mixed02, [bare, withClients]],
  [`${events};incrementalSpec=v0.2, */*`, events02, [bare, withClients]],
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
    const sent = response.headers['content-type']?.replace(/; (boundary|charset)=[^;]+/, '');
    expect(sent).toBe(type);
    const site = calls.length === 1 ? '{"id":"SITE-1","clients":[]}' : '{"id":"SITE-1"}';
    expect(response.body).toContain(`{"data":{"site":${site}}`);
    expect(response.body.includes('hasNext')).toBe(calls.length === 2);
  },
);

const types = ['application/json', 'application/graphql-response+json'];

/** One element of the field: what it names, and whether it is for a response of ours. */
const element = fc.record({
  range: fc.constantFrom(
    ...types,
    'application/*',
    '*/*',
    mixed,
    events,
    'multipart/*',
    'text/*',
    'image/png',
  ),
  parameters: fc.subarray(
    [
      ...['charset="utf-8"', 'charset=utf8', 'charset=us-ascii', 'Charset=UTF-16', 'version=1', 'a="b;c"'],
      ...['deferSpec=20220824', 'incrementalSpec=v0.2', 'incrementalSpec=v0.3', 'q=0.5', 'q=0'],
    ],
    { maxLength: 3 },
  ),
});

it.each([
  ['the fast path', {}],
  ['the full pipeline', { compiledBytes: 0 }],
])(
  'sends an accepted media type whatever its parameters are, or 406 with a body and without a call, by %s',
  async (_, settings) => {
    const { upstream, gateway } = await startBoth(settings, sendClients);
    const drawn = fc.record({
      elements: fc.array(element, { minLength: 1, maxLength: 3 }),
      query: fc.constantFrom(deferring, '{ site(id: "SITE-1") { id } }'),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ elements, query }) => {
        upstream.requests.length = 0;
        const accept = elements.map(({ range, parameters }) => [range, ...parameters].join('; ')).join(', ');
        const accepted = elements.filter(
          ({ range, parameters }) =>
            range !== 'image/png' &&
            !parameters.includes('q=0') &&
            (range.startsWith('application') ||
              range === '*/*' ||
              // Unknown, or two that differ.
              !(
                parameters.includes('incrementalSpec=v0.3') ||
                ['deferSpec=20220824', 'incrementalSpec=v0.2'].every((spec) => parameters.includes(spec))
              )),
        );
        const headers = { 'content-type': 'application/json', 'x-api-key': apiKey, accept };
        const response = await send(gateway.origin, { headers, body: bodyOf(query) });
        expect(upstream.requests.length === 0).toBe(accepted.length === 0);
        expect(response.status).toBe(accepted.length === 0 ? 406 : 200);
        expect(response.body).toContain(accepted.length === 0 ? '"code":"BAD_REQUEST"' : '"SITE-1"');
        const [type = ''] = response.headers['content-type']?.split(';') ?? [];
        const patterns = accepted.map(
          ({ range }) => new RegExp(`^${range.replaceAll('*', '.*').replace('+', '.')}$`),
        );
        if (accepted.length > 0) expect(patterns.some((pattern) => pattern.test(type))).toBe(true);
      }),
    );
  },
);

const live = 'subscription { live { site(id: "SITE-1") { id } } }';

it.each([
  'application/json;charset=utf8',
  mixed,
  'multipart/*',
  'multipart/mixed;charset=utf8',
  'multipart/mixed;subscriptionSpec=2.0',
])('rejects a live query with Accept %j by 406 with a body, without a call', async (accept) => {
  const { upstream, gateway } = await startBoth();
  const response = await postQuery(gateway.url, live, { headers: { accept } });
  expect(upstream.requests).toEqual([]);
  expect(response.status).toBe(406);
  expect(response.errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_REQUEST' }]);
});

it('reports why a live query is rejected to a client that accepts its stream alone', async () => {
  const { upstream, gateway } = await startBoth({ LIVE_MAX_STREAMS: '1' });
  const headers = { accept: 'multipart/mixed;subscriptionSpec=1.0' };
  const { response: first } = await postOperation(gateway.url, live, { headers });
  const second = await postQuery(gateway.url, live, { headers });
  await first.body?.cancel();
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
  expect([first.status, second.status]).toEqual([200, 503]);
  expect(second.errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'OVERLOADED' }]);
});
