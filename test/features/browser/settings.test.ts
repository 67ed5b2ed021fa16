import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it.each<readonly [string, string, RegExp]>([
  ...[
    'app.example.com',
    'https://app.example.com/',
    'https://App.example.com',
    'https://*.example.com',
    'ftp://app.example.com',
    'null',
    'https://app.example.com,',
  ].map(
    (text) => ['CORS_ORIGINS', text, /^CORS_ORIGINS must be \*, or origins as browsers send them/] as const,
  ),
  ...[
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '0.0.0.0/0',
    '::1/x',
    'loopback/8',
    '10.0.0.1:80',
    ',',
  ].map((text) => ['TRUST_PROXY', text, /^TRUST_PROXY must be addresses, CIDR blocks, loopback/] as const),
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([expect.stringMatching(fault)]);
});

it('splits lists at commas, and ignores blanks around them', () => {
  const env = {
    CORS_ORIGINS: 'https://app.example.com, http://[::1]:3000',
    TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8, 192.0.2.1',
  };
  expect(configFromEnv(env).config?.edge).toMatchObject({
    corsOrigins: ['https://app.example.com', 'http://[::1]:3000'],
    trustedProxies: [
      { address: '127.0.0.0', prefix: 8, family: 'ipv4' },
      { address: '::1', prefix: 128, family: 'ipv6' },
      { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
      { address: 'fd00::', prefix: 8, family: 'ipv6' },
      { address: '192.0.2.1', prefix: 32, family: 'ipv4' },
    ],
  });
});
