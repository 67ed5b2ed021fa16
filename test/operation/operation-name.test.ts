import { describe, expect, it } from 'vitest';
import { apiKey, postOperation, startBoth } from '../support/gateway.ts';
import { jsonHeaders, send } from '../support/wire.ts';

const alone = '{ site(id: "SITE-1") { id } }';
const one = `query A ${alone}`;
const two = `${one} query B ${alone}`;
const seven = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => `query ${name} ${alone}`).join(' ');
const nameless = `${alone} ${alone}`;
const fragment = 'fragment F on Site { id }';

const rows: [string, unknown, string][] = [
  [one, '', 'The "operationName" is empty. Leave the "operationName" out, or send "A".'],
  [alone, '', 'The "operationName" is empty. Leave the "operationName" out.'],
  [two, '', 'The "operationName" is empty. Send one of "A", "B".'],
  [one, 'B', 'The document has no operation "B". Leave the "operationName" out, or send "A".'],
  [alone, 'B', 'The document has no operation "B". Leave the "operationName" out.'],
  [two, 'a', 'The document has no operation "a". Send one of "A", "B".'],
  [two, undefined, 'The document has 2 operations, and the request names none. Send one of "A", "B".'],
  [two, null, 'The document has 2 operations, and the request names none. Send one of "A", "B".'],
  [
    seven,
    undefined,
    'The document has 7 operations, and the request names none. Send one of "A", "B", "C", "D", "E" or 2 more.',
  ],
  [
    nameless,
    undefined,
    'The document has 2 operations, and the request names none. Give each operation a name, and send one of these.',
  ],
  [
    alone,
    'null',
    'The document has no operation "null": this text is a name, and no absent value. Leave the "operationName" out.',
  ],
  [
    two,
    'undefined',
    'The document has no operation "undefined": this text is a name, and no absent value. Send one of "A", "B".',
  ],
  [alone, 7, 'The "operationName" must be a text.'],
  [one, ['A'], 'The "operationName" must be a text.'],
  [fragment, 'F', 'The document has no operation: add one to its other definitions.'],
  [fragment, undefined, 'The document has no operation: add one to its other definitions.'],
];

describe.each(['', 'plan'])('with x-explain: %s', (explain) => {
  it.each(rows)(
    'rejects %j with the operationName %j by its cause',
    async (query, operationName, message) => {
      const { upstream, gateway } = await startBoth();
      const headers = { 'x-explain': explain };
      const { response } = await postOperation(gateway.url, { query, operationName }, { headers });
      expect(upstream.requests).toEqual([]);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
    },
  );
});

it('rejects a live query by the cause', async () => {
  const { upstream, gateway } = await startBoth();
  const query = `subscription A { live { site(id: "SITE-1") { id } } } subscription B { live { __typename } }`;
  const headers = { accept: 'text/event-stream' };
  const { response } = await postOperation(gateway.url, { query }, { headers });
  expect(upstream.requests).toEqual([]);
  expect(await response.text()).toContain('Send one of \\"A\\", \\"B\\".');
});

it('takes an empty parameter of a URL for an absent one, and the text null for a name', async () => {
  const { upstream, gateway } = await startBoth();
  const get = (operationName: string) =>
    send(gateway.origin, {
      method: 'GET',
      path: `/graphql?query=${encodeURIComponent(one)}&operationName=${operationName}`,
      headers: { ...jsonHeaders, 'x-api-key': apiKey },
    });
  expect((await get('null')).body).toContain('this text is a name, and no absent value.');
  expect(upstream.requests).toEqual([]);
  expect(await get('')).toMatchObject({ status: 200 });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
});

it('repeats no name that may be a misplaced key', async () => {
  const { gateway } = await startBoth();
  const { response } = await postOperation(gateway.url, { query: one, operationName: apiKey });
  const body = await response.text();
  expect(body).toContain('The document has no operation of this name. Leave the');
  expect(body).not.toContain(apiKey);
});
