import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createBrowserFields } from '../../../src/features/browser/cors.ts';
import { site, startKinds } from '../../http/kinds.ts';
import { testConfig } from '../../support/gateway.ts';
import { send } from '../../support/wire.ts';

it.each<[string, string, boolean]>([
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['::ffff:10.0.0.1', '10.0.0.1', true],
  ['10.0.0.0/8', '::ffff:11.1.2.3', false],
  ['linklocal', 'fe80::1%eth0', true],
  ['uniquelocal', 'fd12::1', true],
])('matches TRUST_PROXY=%s with a connection from %s: %s', (TRUST_PROXY, remoteAddress, isTrusted) => {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  const req = new IncomingMessage(socket);
  req.headers['x-forwarded-proto'] = 'https';
  const res = new ServerResponse(req);
  createBrowserFields(testConfig({ TRUST_PROXY }).edge, '')?.(req, res);
  expect(res.hasHeader('strict-transport-security')).toBe(isTrusted);
});

it.each<[string, string, string, boolean]>([
  ['a named proxy', 'loopback', 'https', true],
  ['the block of a proxy', '127.0.0.0/8', 'https', true],
  ['a proxy that got the request without TLS', 'loopback', 'http', false],
  ['proxies that disagree', 'loopback', 'https, http', false],
  ['another proxy', '10.0.0.0/8, uniquelocal', 'https', false],
  ['any client', '', 'https', false],
])('trusts X-Forwarded-Proto of %s (TRUST_PROXY=%s, %s): %s', async (_, TRUST_PROXY, proto, isUsed) => {
  const gateway = await startKinds({ TRUST_PROXY });
  const headers = { ...site.headers, 'x-forwarded-proto': proto, 'x-forwarded-for': '127.0.0.1' };
  for (const path of ['/graphql', '/']) {
    const response = await send(gateway.origin, { ...site, path, headers });
    expect(response.headers['strict-transport-security']).toBe(isUsed ? 'max-age=31536000' : undefined);
  }
});
