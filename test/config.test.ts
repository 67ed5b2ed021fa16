import { expect, it } from 'vitest';
import { type Config, settings } from '../src/features.ts';

const { configFromEnv } = settings;

const hostForm = 'must be a host name or an address, without a port; IPv6 without brackets';
const originForm =
  'must be *, or origins as browsers send them, separated by commas: https://app.example.com';
const redisForm =
  'must be redis://user:password@host:6379/0 or rediss://…, percent-encoded, with no query but keyPrefix';
const otlp = 'OTEL_EXPORTER_OTLP_ENDPOINT';

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
  ...['app.example.com', 'https://app.example.com/', 'https://App.example.com', 'https://*.example.com']
    .concat('ftp://app.example.com', 'null', 'https://app.example.com,')
    .map((text) => ['CORS_ORIGINS', text, `CORS_ORIGINS ${originForm}`] as const),
  ...['http://127.0.0.1', 'redis:foo', 'redis://:50%@127.0.0.1', 'redis://127.0.0.1/abc']
    .concat(
      'redis://127.0.0.1?db=abc',
      'redis://127.0.0.1?keyPrefix=a&lazyConnect=true',
      'redis://127.0.0.1/0#x',
    )
    .map((text) => ['CACHE_URL', text, `CACHE_URL ${redisForm}`] as const),
  ['GRAPHIQL', 'true', 'GRAPHIQL must be one of on, off'],
  ['TRUSTED_DOCUMENTS_ONLY', 'yes', 'TRUSTED_DOCUMENTS_ONLY must be one of on, off'],
  ['TRUSTED_DOCUMENTS_ONLY', 'on', 'TRUSTED_DOCUMENTS must be set where TRUSTED_DOCUMENTS_ONLY is on'],
  ...['http://collector:4317', 'https://collector:4317/base'].map(
    (text) =>
      [
        otlp,
        text,
        `${otlp} must have the port for OTLP over HTTP, by default 4318: 4317 is for gRPC`,
      ] as const,
  ),
  ...['http://a:4318/v1/traces', 'http://a/base/v1/traces/', 'http://a:4318/v1/logs'].map(
    (text) => [otlp, text, `${otlp} must be the base URL of the collector: /v1/traces is appended`] as const,
  ),
  [otlp, 'grpc://collector:4317', `${otlp} must be an http: or https: URL`],
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([fault]);
});

const accepted: Record<string, [texts: string[], read: (config: Config) => unknown]> = {
  UPSTREAM_URL: [
    [
      ...['http://127.0.0.1:4001', 'http://localhost', 'http://[::1]:1/base', 'https://example.com/base'],
      ...['https://example.com/v1/partners', 'https://example.com/v10', 'https://v1.example.com'],
      'https://example.com/v1/sites',
    ],
    ({ upstream }) => upstream.url?.href,
  ],
  HOST: [['::1', 'fe80::1%eth0', '0.0.0.0', 'localhost', 'gateway-1.example.com'], ({ host }) => host],
  CORS_ORIGINS: [['https://app.example.com, http://[::1]:3000'], ({ edge }) => edge.corsOrigins?.join(', ')],
  CACHE_URL: [
    ['redis://127.0.0.1', 'rediss://user:p%C3%A4%40@[::1]:6380/', 'redis://cache/15?keyPrefix=a:'],
    ({ upstream }) => upstream.redisUrl,
  ],
  [otlp]: [
    ['http://127.0.0.1:4318', 'https://collector/base', 'https://collector/v1/traces/tenant/'],
    ({ telemetry }) => telemetry.traces.endpoint?.href,
  ],
};

it.each(
  Object.entries(accepted).flatMap(([name, [texts, read]]) =>
    texts.map((text) => [name, text, read] as const),
  ),
)('accepts %s=%s', (name, text, read) => {
  const { config = expect.unreachable() } = configFromEnv({ [name]: text });
  const isUrl = name === 'UPSTREAM_URL' || name === otlp;
  expect(read(config)).toBe(isUrl ? new URL(text).href : text);
});

it('accepts plain http to another host if ALLOW_INSECURE_UPSTREAM is on', () => {
  const env = { UPSTREAM_URL: 'http://upstream.internal', ALLOW_INSECURE_UPSTREAM: 'on' };
  expect(configFromEnv(env).config?.upstream.url?.hostname).toBe('upstream.internal');
});

it('has safer defaults in production', () => {
  const env = { NODE_ENV: 'production', UPSTREAM_URL: 'https://example.com' };
  expect(configFromEnv(env).config).toMatchObject({ introspection: 'key', graphiql: false });
  const open = { introspection: 'open', graphiql: true };
  expect(configFromEnv({ ...env, INTROSPECTION: 'open', GRAPHIQL: 'on' }).config).toMatchObject(open);
  expect(configFromEnv({}).config).toMatchObject(open);
  expect(configFromEnv({ NODE_ENV: 'production' }).faults).toEqual([
    'UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data',
  ]);
});

it('rejects a subgraph that executes trusted documents alone: a router composes its documents', () => {
  const trusted = { TRUSTED_DOCUMENTS: 'a.json', FEDERATION: 'on' };
  expect(configFromEnv({ ...trusted, TRUSTED_DOCUMENTS_ONLY: 'on' }).faults).toEqual([
    'FEDERATION must be off where TRUSTED_DOCUMENTS_ONLY is on: routers send documents of their own',
  ]);
  expect(configFromEnv(trusted).faults).toBeUndefined();
});
