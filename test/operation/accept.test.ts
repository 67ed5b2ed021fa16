import { expect, it } from 'vitest';
import { acceptsParts, acceptsSomething } from '../../src/operation/accept.ts';
import { ask, startGateway } from '../harness/gateway.ts';
import { bareSite, sendJson, startUpstream } from '../harness/upstream.ts';

it.each([
  [null, true, true],
  ['', true, true],
  ['*/*', true, true],
  ['application/json', false, true],
  ['application/graphql-response+json; charset=utf-8, application/json;q=0.9', false, true],
  ['multipart/mixed', true, true],
  ['Multipart/Mixed; deferSpec=20220824, application/json', true, true],
  ['multipart/*', true, true],
  ['text/event-stream', true, true],
  ['text/*', true, true],
  ['multipart/mixed;q=0, application/json', false, true],
  ['multipart/mixed; Q=0.000, application/json', false, true],
  ['multipart/mixed;q=0.1, application/json', true, true],
  ['image/png', false, false],
  ['text/plain', false, false],
  ['application/json;q=0', false, false],
])('takes %j for parts: %s, for anything: %s', (accept, parts, something) => {
  expect(acceptsParts(accept)).toBe(parts);
  expect(acceptsSomething(accept)).toBe(something);
});

it.each(['image/png', 'text/plain', 'application/json;q=0'])('makes no call for %s', async (accept) => {
  const upstream = await startUpstream((_, res) => sendJson(res, bareSite('SITE-1')));
  const gateway = await startGateway(upstream.url);
  const answer = await ask(gateway.url, '{ site(id: "SITE-1") { id } }', { headers: { accept } });
  expect(upstream.asked).toEqual([]);
  expect(answer).toMatchObject({ status: 406, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  expect(answer.errors?.[0]?.extensions).toEqual({ code: 'BAD_REQUEST' });
});
