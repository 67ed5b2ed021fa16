import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it('is off in production, where nothing else is set', () => {
  const env = { NODE_ENV: 'production', UPSTREAM_URL: 'https://example.com' };
  expect(configFromEnv(env).config).toMatchObject({ live: null });
  expect(configFromEnv({ ...env, LIVE: 'on' }).config).toMatchObject({ live: { intervalMs: 5000 } });
  expect(configFromEnv({}).config).toMatchObject({ live: { intervalMs: 5000 } });
});
