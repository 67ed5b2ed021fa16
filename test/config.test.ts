import { expect, it } from 'vitest';
import { settings } from '../src/features.ts';

const { configFromEnv } = settings;

const hostForm = 'must be a host name or an address, without a port; IPv6 without brackets';

it('treats an empty setting as unset', () => {
  expect(configFromEnv({ PORT: '', UPSTREAM_URL: '' })).toEqual(configFromEnv({}));
});

it.each<readonly [string, string, string]>([
  ['PORT', 'eighty', 'PORT must be a whole number from 0 to 65535'],
  ['PORT', '4e3', 'PORT must be a whole number from 0 to 65535'],
  ...['[::1]', '127.0.0.1:4000', 'http://127.0.0.1', 'two words'].flatMap((text) =>
    ['HOST', 'ADMIN_HOST'].map((name) => [name, text, `${name} ${hostForm}`] as const),
  ),
  ['MAX_CONNECTIONS', '0', 'MAX_CONNECTIONS must be a whole number from 1 to 1000000'],
  ['UPSTREAM_URL', 'ftp://example.com', 'UPSTREAM_URL must be an http: or https: URL'],
  ['UPSTREAM_URL', 'https://a:b@example.com', 'UPSTREAM_URL must not hold a user name or a password'],
  ['UPSTREAM_URL', 'https://example.com?key=1', 'UPSTREAM_URL must not hold a query or a fragment'],
  [
    'UPSTREAM_URL',
    'http://partner-api.example.com',
    'UPSTREAM_URL must be https: for a host that is not loopback, or ALLOW_INSECURE_UPSTREAM must be on',
  ],
  ...['https://example.com/v1', 'https://example.com/V1', 'https://example.com/v1/site/SITE-1'].map(
    (url) => ['UPSTREAM_URL', url, 'UPSTREAM_URL must end before /v1, which the gateway appends'] as const,
  ),
  ['ALLOW_INSECURE_UPSTREAM', 'yes', 'ALLOW_INSECURE_UPSTREAM must be one of on, off'],
  ['UPSTREAM_CONNECTIONS', '1.5', 'UPSTREAM_CONNECTIONS must be a whole number from 1 to 10000'],
  ['SITE_ID_PREFIX', 'two words', 'SITE_ID_PREFIX must be one word'],
  ...['Production', 'PRODUCTION', 'prod', ' production', 'staging', 'live'].map(
    (text) => ['NODE_ENV', text, 'NODE_ENV must be one of production, development, test'] as const,
  ),
  ['INTROSPECTION', 'on', 'INTROSPECTION must be one of open, key, off'],
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([fault]);
});

it.each([
  ...['http://127.0.0.1:4001', 'http://localhost', 'http://[::1]:1/base', 'https://example.com/base/'],
  ...[
    'https://example.com/v1/partners',
    'https://example.com/v10',
    'https://v1.example.com',
    'https://example.com/v1/sites',
  ],
])('accepts %s as the upstream', (url) => {
  expect(configFromEnv({ UPSTREAM_URL: url }).config?.upstream.url?.href).toBe(new URL(url).href);
});

it.each(['::1', 'fe80::1%eth0', '0.0.0.0', 'localhost', 'gateway-1.example.com'])(
  'accepts HOST=%s',
  (text) => {
    expect(configFromEnv({ HOST: text }).config?.host).toBe(text);
  },
);

it('accepts plain http to another host if ALLOW_INSECURE_UPSTREAM is on', () => {
  const env = { UPSTREAM_URL: 'http://upstream.internal', ALLOW_INSECURE_UPSTREAM: 'on' };
  expect(configFromEnv(env).config?.upstream.url?.hostname).toBe('upstream.internal');
});

it('has safer defaults in production', () => {
  const env = { NODE_ENV: 'production', UPSTREAM_URL: 'https://example.com' };
  expect(configFromEnv(env).config?.introspection).toBe('key');
  expect(configFromEnv({ ...env, INTROSPECTION: 'open' }).config?.introspection).toBe('open');
  expect(configFromEnv({}).config?.introspection).toBe('open');
  expect(configFromEnv({ NODE_ENV: 'production' }).faults).toEqual([
    'UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data',
  ]);
});
