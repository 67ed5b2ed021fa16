import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it('rejects a value that is neither on nor off', () => {
  expect(configFromEnv({ GRAPHIQL: 'true' }).faults).toEqual(['GRAPHIQL must be one of on, off']);
});

it('is off in production, where nothing else is set', () => {
  const env = { NODE_ENV: 'production', UPSTREAM_URL: 'https://example.com' };
  expect(configFromEnv(env).config).toMatchObject({ graphiql: false });
  expect(configFromEnv({ ...env, GRAPHIQL: 'on' }).config).toMatchObject({ graphiql: true });
  expect(configFromEnv({}).config).toMatchObject({ graphiql: true });
});
