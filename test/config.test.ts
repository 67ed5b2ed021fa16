import { expect, it } from 'vitest';
import { settings } from '../src/features.ts';

const { configFromEnv } = settings;

it('treats an empty setting as unset', () => {
  expect(configFromEnv({ PORT: '', UPSTREAM_URL: '' })).toEqual(configFromEnv({}));
});

it.each<readonly [string, string, string | RegExp]>([
  ['PORT', 'eighty', 'PORT must be a whole number from 0 to 65535'],
  ['PORT', '65536', 'PORT must be a whole number from 0 to 65535'],
  ['PORT', '-1', 'PORT must be a whole number from 0 to 65535'],
  ['PORT', '4e3', 'PORT must be a whole number from 0 to 65535'],
  ['MAX_CONNECTIONS', '0', 'MAX_CONNECTIONS must be a whole number from 1 to 1000000'],
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
  ['UPSTREAM_URL', 'partner-api.example.com', 'UPSTREAM_URL must be an http: or https: URL'],
  ['UPSTREAM_URL', 'ftp://example.com', 'UPSTREAM_URL must be an http: or https: URL'],
  ['UPSTREAM_URL', 'https://a:b@example.com', 'UPSTREAM_URL must not hold a user name or a password'],
  ['UPSTREAM_URL', 'https://example.com?key=1', 'UPSTREAM_URL must not hold a query or a fragment'],
  [
    'UPSTREAM_URL',
    'http://partner-api.example.com',
    'UPSTREAM_URL must be https: for a host that is not loopback, or ALLOW_INSECURE_UPSTREAM must be on',
  ],
  ...[
    'https://example.com/v1',
    'https://example.com/base/v1/',
    'https://example.com/V1',
    'https://example.com/v1/site/SITE-1',
    'https://example.com/v1/health',
    'https://example.com/v1/conversation/',
  ].map(
    (url) => ['UPSTREAM_URL', url, 'UPSTREAM_URL must end before /v1, which the gateway appends'] as const,
  ),
  ['ALLOW_INSECURE_UPSTREAM', 'yes', 'ALLOW_INSECURE_UPSTREAM must be one of on, off'],
  ['UPSTREAM_CONNECTIONS', '1.5', 'UPSTREAM_CONNECTIONS must be a whole number from 1 to 10000'],
  ['SITE_ID_PREFIX', 'two words', 'SITE_ID_PREFIX must be one word'],
  ['CACHE_URL', 'http://127.0.0.1', /^CACHE_URL must be a redis: or rediss: URL/],
  ['CACHE_URL', 'redis:foo', /^CACHE_URL must be a redis: or rediss: URL/],
  ['CACHE_URL', 'redis://:50%@127.0.0.1', /^CACHE_URL must be a redis: or rediss: URL/],
  ['CACHE_URL', 'redis://127.0.0.1/abc', /^CACHE_URL must be a redis: or rediss: URL/],
  ...['Production', 'PRODUCTION', 'prod', ' production', 'staging', 'live'].map(
    (text) => ['NODE_ENV', text, 'NODE_ENV must be one of production, development, test'] as const,
  ),
  ...['http://collector:4317', 'https://collector:4317/base'].map(
    (text) =>
      [
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        text,
        'OTEL_EXPORTER_OTLP_ENDPOINT must have the port for OTLP over HTTP, by default 4318: 4317 is for gRPC',
      ] as const,
  ),
  ...['http://a:4318/v1/traces', 'http://a/base/v1/traces/', 'http://a:4318/v1/logs'].map(
    (text) =>
      [
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        text,
        'OTEL_EXPORTER_OTLP_ENDPOINT must be the base URL of the collector: /v1/traces is appended',
      ] as const,
  ),
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317', /must be an http: or https: URL$/],
  ['GRAPHIQL', 'true', 'GRAPHIQL must be one of on, off'],
  ['INTROSPECTION', 'on', 'INTROSPECTION must be one of open, key, off'],
  ['TRUSTED_DOCUMENTS_ONLY', 'yes', 'TRUSTED_DOCUMENTS_ONLY must be one of on, off'],
  ['TRUSTED_DOCUMENTS_ONLY', 'on', 'TRUSTED_DOCUMENTS must be set where TRUSTED_DOCUMENTS_ONLY is on'],
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([
    typeof fault === 'string' ? fault : expect.stringMatching(fault),
  ]);
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

it.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, ['OTEL_EXPORTER_OTLP_PROTOCOL']],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' }, ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']],
  // The one for traces has precedence.
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' }, []],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, []],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, []],
])('reads the protocol of a collector from %j', (env, names) => {
  const faults = names.map((name) => `${name} must be http/protobuf: the gateway does not send gRPC`);
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(configFromEnv({ ...collector, ...env }).faults ?? []).toEqual(faults);
  // Without a collector nothing is sent.
  expect(configFromEnv(env).faults).toBeUndefined();
});

it.each(['http://127.0.0.1:4318', 'https://collector/base', 'https://collector/v1/traces/tenant/'])(
  'accepts %s as the collector',
  (url) => {
    const { config } = configFromEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(config?.telemetry.traces?.endpoint.href).toBe(new URL(url).href);
  },
);

it('accepts plain http to another host if ALLOW_INSECURE_UPSTREAM is on', () => {
  const env = { UPSTREAM_URL: 'http://upstream.internal', ALLOW_INSECURE_UPSTREAM: 'on' };
  expect(configFromEnv(env).config?.upstream.url?.hostname).toBe('upstream.internal');
});

it('rejects a subgraph that executes trusted documents alone: a router composes its documents', () => {
  const trusted = { TRUSTED_DOCUMENTS: 'a.json', FEDERATION: 'on' };
  expect(configFromEnv({ ...trusted, TRUSTED_DOCUMENTS_ONLY: 'on' }).faults).toEqual([
    'FEDERATION must be off where TRUSTED_DOCUMENTS_ONLY is on: routers send documents of their own',
  ]);
  expect(configFromEnv(trusted).config).toMatchObject({ federation: true });
});

it.each([
  [{}, null],
  [{ TRUSTED_DOCUMENTS_ONLY: 'off' }, null],
  [{ TRUSTED_DOCUMENTS: 'a.json' }, { path: 'a.json', only: false }],
  [
    { TRUSTED_DOCUMENTS: 'a.json', TRUSTED_DOCUMENTS_ONLY: 'on' },
    { path: 'a.json', only: true },
  ],
])('reads the trusted documents from %j', (env, trustedDocuments) => {
  expect(configFromEnv(env).config).toMatchObject({ trustedDocuments });
});

it('has safer defaults in production', () => {
  const env = { NODE_ENV: 'production', UPSTREAM_URL: 'https://example.com' };
  expect(configFromEnv(env).config).toMatchObject({ graphiql: false, introspection: 'key', live: null });
  const set = { GRAPHIQL: 'on', INTROSPECTION: 'open', LIVE: 'on' };
  const open = { graphiql: true, introspection: 'open', live: { intervalMs: 5000 } };
  expect(configFromEnv({ ...env, ...set }).config).toMatchObject(open);
  expect(configFromEnv({}).config).toMatchObject(open);
  expect(configFromEnv({ NODE_ENV: 'production' }).faults).toEqual([
    'UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data',
  ]);
});
