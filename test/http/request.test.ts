import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiKeyFrom } from '../../src/http/request.ts';
import { apiKey, startBoth } from '../support/gateway.ts';
import { bodyOf, jsonHeaders, send, type WireRequest } from '../support/wire.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const site = bodyOf('{ site(id: "SITE-1") { id } }');
const served = { status: 200, body: '{"data":{"site":{"id":"SITE-1"}}}' };

async function start() {
  const { upstream, gateway } = await startBoth();
  return { upstream, gateway, send: (request: WireRequest) => send(gateway.origin, request) };
}

describe('a body', () => {
  it.each([
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; charset=utf8',
    'application/json ; boundary=x',
  ])('is read as %s', async (type) => {
    const { upstream, send } = await start();
    const response = await send({ headers: { ...headers, 'content-type': type }, body: site });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
    expect(response).toMatchObject(served);
  });

  it.each<[string, Record<string, string>]>([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['an unknown charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['two types', { 'content-type': 'application/json, text/plain' }],
    ['no type', { 'content-type': '' }],
    ['gzip', { 'content-encoding': 'gzip' }],
  ])('is rejected as %s with 415', async (_, unreadable) => {
    const { upstream, send } = await start();
    const response = await send({ headers: { ...headers, ...unreadable }, body: site });
    expect(upstream.requests).toEqual([]);
    expect(response.status).toBe(415);
    expect(response.body).toContain('"code":"BAD_REQUEST"');
  });

  it.each([
    ['is malformed', '{"query": "canary'],
    ['is null', 'null'],
    ['is a list', `[${site}, "canary"]`],
    ['is empty', ''],
    ['has no document', '{"variables": {"canary": 1}}'],
    ['has a number for a document', '{"query": 5, "operationName": "canary"}'],
    ['has a text for extensions', bodyOf('{ __typename }', { extensions: 'canary' })],
    ['is no UTF-8', Buffer.from('7b227175657279223a22e9227d', 'hex')],
  ])('that %s is rejected with 400 and a short message', async (_, body) => {
    const { upstream, gateway, send } = await start();
    const response = await send({ headers, body });
    expect(upstream.requests).toEqual([]);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    expect(response.body.length).toBeLessThan(1024);
    expect(response.body + gateway.lines).not.toContain('canary');
  });

  it('may have null for optional parameters, and unknown properties', async () => {
    const { upstream, send } = await start();
    const nothing = { variables: null, operationName: null, extensions: null };
    const strangers = { ...nothing, id: 1, query2: '{', variable: [], ['__proto__']: { query: 'x' } };
    const response = await send({ headers, body: bodyOf('{ site(id: "SITE-1") { id } }', strangers) });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
    expect(response).toMatchObject(served);
  });
});

describe('a GET', () => {
  const query = encodeURIComponent('query Q($id: ID!) { site(id: $id) { id } }');
  const variables = encodeURIComponent('{"id":"SITE-1"}');

  it('has its parameters in its URL', async () => {
    const { upstream, send } = await start();
    const path = `/graphql?query=${query}&variables=${variables}&operationName=Q&extensions=&nonce=5`;
    const response = await send({ method: 'GET', path, headers });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
    expect(response).toMatchObject(served);
  });

  it.each([
    ['/graphql', 400],
    [`/graphql?query=${query}&variables=%7B%22canary`, 400],
    [`/graphql?query=${query}&variables=%5B%5D`, 400],
    [`/graphql?query=${query}&variables=${variables}&extensions=canary`, 400],
    [`/graphql?query=${encodeURIComponent('mutation { __typename }')}`, 405],
  ])('of %s is rejected with %i', async (path, status) => {
    const { upstream, gateway, send } = await start();
    const response = await send({ method: 'GET', path, headers });
    expect(upstream.requests).toEqual([]);
    expect(response.status).toBe(status);
    expect(response.body).toContain('"code":"BAD_REQUEST"');
    expect(response.body + gateway.lines).not.toContain('canary');
  });
});

const keyLike = fc.string({ unit: fc.constantFrom('k', '-', '+', ',', '~', '!'), maxLength: 300 });

it('returns a key unchanged or undefined, and no invalid key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), keyLike), (text) => {
      const key = apiKeyFrom(text);
      const usable =
        text.length > 0 &&
        text.length <= 256 &&
        [...text].every((one) => one > ' ' && one < '\x7f' && one !== ',');
      expect(key).toBe(usable ? text : undefined);
    }),
  );
});
