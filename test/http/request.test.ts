import fc from 'fast-check';
import { expect, it } from 'vitest';
import { apiKeyFrom } from '../../src/http/request.ts';
import { apiKey, startBoth } from '../support/gateway.ts';
import { bodyOf, jsonHeaders, send } from '../support/wire.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const site = bodyOf('{ site(id: "SITE-1") { id } }');
const served = { status: 200, body: '{"data":{"site":{"id":"SITE-1"}}}' };
const typed = (type: string) => ({ headers: { ...headers, 'content-type': type }, body: site });

it('reads a body of JSON in each way to say it, with null for what is optional and unknown properties', async () => {
  const { upstream, gateway } = await startBoth();
  const nothing = { variables: null, operationName: null, extensions: null };
  const strangers = { ...nothing, id: 1, query2: '{', variable: [], ['__proto__']: { query: 'x' } };
  const requests = [
    typed('application/json'),
    typed('Application/JSON; Charset=UTF-8'),
    typed('application/json;charset="utf-8"'),
    typed('application/json; charset=utf8'),
    typed('application/json ; boundary=x'),
    { headers, body: bodyOf('{ site(id: "SITE-1") { id } }', strangers) },
  ];
  for (const request of requests) expect(await send(gateway.origin, request)).toMatchObject(served);
  expect(upstream.paths()).toEqual(requests.map(() => '/v1/site/SITE-1'));
});

it('reads the parameters of a GET from its URL', async () => {
  const { gateway } = await startBoth();
  const path = `/graphql?query=${query}&variables=${variables}&operationName=Q&extensions=&nonce=5`;
  expect(await send(gateway.origin, { method: 'GET', path, headers })).toMatchObject(served);
});

const query = encodeURIComponent('query Q($id: ID!) { site(id: $id) { id } }');
const variables = encodeURIComponent('{"id":"SITE-1"}');
const get = (path: string) => ({ method: 'GET', path: `/graphql${path}`, headers });

it('rejects what cannot be read by a short message that quotes nothing of it', async () => {
  const { upstream, gateway } = await startBoth();
  const rows = [
    [415, typed('text/plain')],
    [415, typed('multipart/form-data; boundary=x')],
    [415, typed('application/json; charset=utf-16')],
    [415, typed('application/json, text/plain')],
    [415, typed('')],
    [415, { headers: { ...headers, 'content-encoding': 'gzip' }, body: site }],
    [400, { headers, body: '{"query": "canary' }],
    [400, { headers, body: 'null' }],
    [400, { headers, body: `[${site}, "canary"]` }],
    [400, { headers, body: '' }],
    [400, { headers, body: '{"variables": {"canary": 1}}' }],
    [400, { headers, body: '{"query": 5, "operationName": "canary"}' }],
    [400, { headers, body: bodyOf('{ __typename }', { extensions: 'canary' }) }],
    [400, { headers, body: Buffer.from('7b227175657279223a22e9227d', 'hex') }],
    [400, get('')],
    [400, get(`?query=${query}&variables=%7B%22canary`)],
    [400, get(`?query=${query}&variables=%5B%5D`)],
    [400, get(`?query=${query}&variables=${variables}&extensions=canary`)],
    [405, get(`?query=${encodeURIComponent('mutation { __typename }')}`)],
  ] as const;
  for (const [status, request] of rows) {
    const response = await send(gateway.origin, request);
    expect(response.status, JSON.stringify(request)).toBe(status);
    expect(JSON.parse(response.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    expect(response.body.length).toBeLessThan(1024);
    expect(response.body + gateway.lines).not.toContain('canary');
  }
  expect(upstream.requests).toEqual([]);
});

const keyLike = fc.string({ unit: fc.constantFrom('k', '-', '+', ',', '~', '!'), maxLength: 300 });

it('returns a key unchanged or undefined, and no invalid key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), keyLike), (text) => {
      const isKey = /^[!-~]{1,256}$/.test(text) && !text.includes(',');
      expect(apiKeyFrom(text)).toBe(isKey ? text : undefined);
    }),
  );
});
