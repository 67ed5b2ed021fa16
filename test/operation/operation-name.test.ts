import { expect, it } from 'vitest';
import { apiKey, postOperation, startBoth } from '../support/gateway.ts';
import { send } from '../support/wire.ts';

const alone = '{ site(id: "SITE-1") { id } }';
const one = `query A ${alone}`;
const two = `${one} query B ${alone}`;
const fragment = 'fragment F on Site { id }';

it.each<[query: string, operationName: unknown]>([
  [alone, ''],
  [one, 'B'],
  [two, 'a'],
  [two, undefined],
  [two, null],
  [`${alone} ${alone}`, undefined],
  [alone, 7],
  [one, ['A']],
  [fragment, 'F'],
  [fragment, undefined],
])('rejects %j with the operationName %j', async (query, operationName) => {
  const { upstream, gateway } = await startBoth();
  const message =
    'Send the name of an operation in the document as "operationName", or leave it out if there is only one.';
  const { response } = await postOperation(gateway.url, { query, operationName });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    errors: [{ message, extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }],
  });
  expect(upstream.requests).toEqual([]);
});

it('takes an empty parameter of a URL for an absent one', async () => {
  const { upstream, gateway } = await startBoth();
  const path = `/graphql?query=${encodeURIComponent(one)}&operationName=`;
  const response = await send(gateway.origin, { method: 'GET', path, headers: { 'x-api-key': apiKey } });
  expect(response.status).toBe(200);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
});
