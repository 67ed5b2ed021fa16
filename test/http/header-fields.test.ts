import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createFields } from '../../src/http/header-fields.ts';
import { apiKey, startGateway, testConfig } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, send, sendRaw, type WireRequest } from '../support/wire.ts';

const headers = { ...jsonHeaders, 'x-api-key': apiKey };
const body = bodyOf('{ site(id: "SITE-1") { id } }');

async function start(env: NodeJS.ProcessEnv = {}) {
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    sendJson(res, bareSite(id), Number(/^SITE-(4\d\d)$/.exec(id)?.[1] ?? 200));
  });
  return startGateway(upstream.url, env);
}

const careful = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

it.each<[string, number, WireRequest]>([
  ['a response', 200, { headers, body }],
  [
    'parts',
    200,
    { headers: { ...headers, accept: 'multipart/mixed' }, body: bodyOf('{ ... @defer { __typename } }') },
  ],
  ['events', 200, { headers: { ...headers, accept: 'text/event-stream' }, body }],
  ['a bad Host', 400, { headers: { ...headers, host: 'a b' }, body }],
  ['a missing key', 403, { headers: jsonHeaders, body }],
  ['GET', 200, { method: 'GET', path: '/graphql?query=%7B__typename%7D', headers }],
  ['malformed JSON', 400, { headers, body: '{' }],
  [
    'a request error',
    400,
    { headers: { ...headers, accept: 'application/graphql-response+json' }, body: bodyOf('{') },
  ],
  ['a rejected key', 403, { headers, body: body.replace('SITE-1', 'SITE-403') }],
  ['an exceeded rate limit', 429, { headers, body: body.replace('SITE-1', 'SITE-429') }],
  ['an unsupported body', 415, { headers: { ...headers, 'content-type': 'text/plain' }, body }],
  ['another path', 404, { headers, path: '/', body }],
  ['another method', 405, { headers, method: 'PUT' }],
  ['no acceptable media type', 406, { headers: { ...headers, accept: 'image/png' }, body }],
  ['an unknown Expect', 417, { headers: { ...headers, expect: 'a miracle' }, body }],
])('sends the security fields with %s (%i)', async (_, status, wire) => {
  const response = await send((await start()).origin, wire);
  expect(response).toMatchObject({ status, headers: careful });
  expect(response.headers).not.toHaveProperty('strict-transport-security');
});

it('sends the security fields to malformed HTTP', async () => {
  const text = await sendRaw((await start()).origin, 'what?\r\n\r\n');
  const fields = text.toLowerCase().split('\r\n');
  expect(fields).toEqual(
    expect.arrayContaining(Object.entries(careful).map(([name, value]) => `${name}: ${value}`)),
  );
});

it('sends GraphiQL with its own content security policy', async () => {
  const response = await send((await start()).origin, {
    method: 'GET',
    headers: { accept: 'text/html' },
  });
  const { 'content-security-policy': _, ...others } = careful;
  expect(response).toMatchObject({ status: 200, headers: others });
  expect(response.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
});

it.each<[string, string, boolean]>([
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['10.0.0.1', '::ffff:10.0.0.1', true],
  ['::ffff:10.0.0.1', '10.0.0.1', true],
  ['10.0.0.0/8', '::ffff:11.1.2.3', false],
  ['linklocal', 'fe80::1%eth0', true],
  ['uniquelocal', 'fd12::1', true],
  ['fd00::/8', '10.0.0.1', false],
])('matches TRUST_PROXY=%s with a connection from %s: %s', (TRUST_PROXY, remoteAddress, isTrusted) => {
  const fieldsOf = createFields(testConfig({ TRUST_PROXY }).edge);
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  const req = new IncomingMessage(socket);
  req.headers['x-forwarded-proto'] = 'https';
  expect('strict-transport-security' in fieldsOf(req)).toBe(isTrusted);
});

it.each<[string, string, string, boolean]>([
  ['a named proxy', 'loopback', 'https', true],
  ['the address of a proxy', '10.0.0.1, 127.0.0.1', 'https', true],
  ['the block of a proxy', '127.0.0.0/8', 'https', true],
  ['a proxy that got the request without TLS', 'loopback', 'http', false],
  ['proxies that disagree', 'loopback', 'https, http', false],
  ['another proxy', '10.0.0.0/8, uniquelocal', 'https', false],
  ['any client', '', 'https', false],
])('trusts X-Forwarded-Proto of %s (TRUST_PROXY=%s, %s): %s', async (_, TRUST_PROXY, proto, isUsed) => {
  const gateway = await start({ TRUST_PROXY });
  const forwarded = { ...headers, 'x-forwarded-proto': proto, 'x-forwarded-for': '127.0.0.1' };
  for (const wire of [
    { headers: forwarded, body },
    { headers: forwarded, path: '/' },
  ]) {
    const response = await send(gateway.origin, wire);
    expect(response.headers['strict-transport-security']).toBe(isUsed ? 'max-age=31536000' : undefined);
  }
});
