import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it.each<readonly [string, string, RegExp]>([
  ['CACHE_URL', 'http://127.0.0.1', /^CACHE_URL must be a redis: or rediss: URL/],
  ['CACHE_URL', 'redis:foo', /^CACHE_URL must be a redis: or rediss: URL/],
  ['CACHE_URL', 'redis://:50%@127.0.0.1', /^CACHE_URL must be a redis: or rediss: URL/],
  ['CACHE_URL', 'redis://127.0.0.1/abc', /^CACHE_URL must be a redis: or rediss: URL/],
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([expect.stringMatching(fault)]);
});
