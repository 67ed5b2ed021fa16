import { expect, it } from 'vitest';
import { acceptedIn, incrementalFormatOf, typeIn } from '../../src/operation/accept.ts';
import { postQuery, startBoth } from '../support/gateway.ts';

const mixed = 'multipart/mixed';
const events = 'text/event-stream';
const mixed02 = `${mixed}; incrementalSpec=v0.2`;
const events02 = `${events}; incrementalSpec=v0.2`;

it.each<[string | null, string | undefined, boolean]>([
  [null, undefined, true],
  ['*/*', undefined, true],
  ['application/graphql-response+json; charset=utf-8, application/json;q=0.9', undefined, true],
  [mixed, mixed, true],
  ['multipart/mixed; DeferSpec="20220824"', mixed, true],
  ['multipart/*', undefined, true],
  ['text/*', undefined, true],
  ['multipart/*, text/event-stream', events, true],
  ['text/event-stream, */*', events, true],
  ['text/event-stream, multipart/mixed', mixed, true],
  ['multipart/mixed;incrementalSpec=v0.2', mixed02, true],
  ['multipart/mixed;INCREMENTALSPEC="v0.2", multipart/mixed', mixed02, true],
  ['multipart/mixed, multipart/mixed;incrementalSpec=v0.2', mixed, true],
  ['text/event-stream;incrementalSpec=v0.2, application/json', events02, true],
  ['multipart/mixed;incrementalSpec=v0.3', undefined, false],
  ['multipart/mixed;incrementalSpec=v0.3, text/event-stream', events, true],
  ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', undefined, true],
  ['multipart/*;incrementalSpec=v0.2', undefined, true],
  ['image/png', undefined, false],
])('reads %j as: incremental format %s, any response accepted: %s', (accept, parts, something) => {
  const format = incrementalFormatOf(accept);
  expect(format && typeIn(format.spec, format.type)).toBe(parts);
  expect(acceptedIn(accept ?? '').length > 0 || !accept).toBe(something);
});

const deferring = '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }';

it.each<[string, object, string]>([
  ['the fast path', {}, '{ site(id: "SITE-1") { id } }'],
  ['the full pipeline', { compiledBytes: 0 }, deferring],
])('rejects what accepts no type of ours by 406, without a call, on %s', async (_, settings, query) => {
  const { upstream, gateway } = await startBoth(settings);
  for (const accept of ['image/png', 'multipart/mixed;incrementalSpec=v0.3']) {
    const response = await postQuery(gateway.url, query, { headers: { accept } });
    expect(response).toMatchObject({ status: 406, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  }
  expect(upstream.requests).toEqual([]);
  const headers = { accept: 'application/*;charset=utf-16, image/png' };
  expect(await postQuery(gateway.url, query, { headers })).toMatchObject({ status: 200 });
});
