import { expect, it } from 'vitest';
import { readReferenceConfig } from '../../reference/config.ts';

/** The options, or the faults if there are any. */
const read = (env: Record<string, string>) => {
  const config = readReferenceConfig(env);
  return 'options' in config ? config.options : config.faults;
};

const inOrder = 'one or two dates in their order: YYYY-MM-DD or YYYY-MM-DD/YYYY-MM-DD';
const postgresForm = 'postgres://user:password@host:5432/database, percent-encoded';

it('has a default for everything', () => {
  expect(read({})).toEqual({
    databaseUrl: 'file:.data/reference.db',
    environment: 'test',
    siteIdPrefix: 'SITE',
    host: '127.0.0.1',
    port: 4001,
    publicUrl: 'http://127.0.0.1:4001',
    logLevel: 'info',
    rateLimit: { limit: 6000, windowS: 60 },
  });
});

it('reads every setting', () => {
  const env = {
    REFERENCE_PORT: '0',
    REFERENCE_HOST: '::1',
    REFERENCE_PUBLIC_URL: 'https://keys.example/base/',
    REFERENCE_DATABASE_URL: 'postgres://localhost/partners',
    REFERENCE_RATE_LIMIT: '100/10s',
    REFERENCE_DEPRECATION: '2027-01-01/2027-07-01',
    LOG_LEVEL: 'silent',
    SITE_ID_PREFIX: 'PROP',
    NODE_ENV: 'production',
  };
  expect(read(env)).toEqual({
    databaseUrl: 'postgres://localhost/partners',
    environment: 'production',
    siteIdPrefix: 'PROP',
    host: '::1',
    port: 0,
    publicUrl: 'https://keys.example/base',
    logLevel: 'silent',
    rateLimit: { limit: 100, windowS: 10 },
    deprecation: { date: new Date('2027-01-01'), sunset: new Date('2027-07-01') },
  });
});

it.each([
  ...['postgres://%2Fvar%2Frun/x', 'postgres:///x?host=/tmp', 'postgres://[::1]:5432/x'],
  'postgresql://u:p%C3%A4@h/%C3%A4?sslmode=require',
])('accepts %s as the database', (url) => {
  expect(read({ REFERENCE_DATABASE_URL: url })).toMatchObject({ databaseUrl: url });
});

it.each<readonly [string, string, string]>([
  ['REFERENCE_PORT', '65536', 'a whole number from 0 to 65535'],
  ['REFERENCE_HOST', 'a b', 'a host name or address'],
  ['NODE_ENV', 'Production', 'one of production, development, test'],
  ['REFERENCE_PUBLIC_URL', 'keys.example', 'an http: or https: URL'],
  ['REFERENCE_PUBLIC_URL', 'https://keys.example?a=b', 'without a query, a fragment and credentials'],
  ['REFERENCE_PUBLIC_URL', 'https://u:secret@keys.example', 'without a query, a fragment and credentials'],
  ['REFERENCE_DATABASE_URL', 'mysql://x', 'file:…, postgres://… or :memory:'],
  ...['postgres://u:50%@h/x', 'postgres://u:p/w@h/x', 'postgresql://h:99999/x'].map(
    (url) => ['REFERENCE_DATABASE_URL', url, postgresForm] as const,
  ),
  ...['0/60s', '6000'].map(
    (text) => ['REFERENCE_RATE_LIMIT', text, 'requests and their seconds, such as 6000/60s'] as const,
  ),
  ...['2027-02-30', '2027-01-02/2027-01-01'].map((text) => ['REFERENCE_DEPRECATION', text, inOrder] as const),
  ['LOG_LEVEL', 'all', 'one of debug, info, warn, error, silent'],
  ['SITE_ID_PREFIX', 'A-B', 'one word'],
])('rejects %s=%s', (name, text, must) => {
  expect(read({ [name]: text })).toEqual([`${name} must be ${must}`]);
});
