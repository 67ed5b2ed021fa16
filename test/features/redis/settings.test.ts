import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it.each<readonly [string, string, RegExp]>([
  ['CACHE_URL', 'http://127.0.0.1', /^CACHE_URL must be redis:.* or rediss:/],
  ['CACHE_URL', 'redis:foo', /^CACHE_URL must be redis:.* or rediss:/],
  ['CACHE_URL', 'redis://:50%@127.0.0.1', /^CACHE_URL must be redis:.* or rediss:/],
  ['CACHE_URL', 'redis://127.0.0.1/abc', /^CACHE_URL must be redis:.* or rediss:/],
  ['CACHE_URL', 'redis://127.0.0.1?db=abc', /^CACHE_URL must be redis:.* or rediss:/],
  ['CACHE_URL', 'redis://127.0.0.1?keyPrefix=a&lazyConnect=true', /^CACHE_URL must be redis:.* or rediss:/],
  ['CACHE_URL', 'redis://127.0.0.1/0#x', /^CACHE_URL must be redis:.* or rediss:/],
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([expect.stringMatching(fault)]);
});

it.each(['redis://127.0.0.1', 'rediss://user:p%C3%A4%40@[::1]:6380/', 'redis://cache/15?keyPrefix=a:'])(
  'accepts CACHE_URL=%s',
  (url) => {
    expect(configFromEnv({ CACHE_URL: url }).config?.upstream.redisUrl).toBe(url);
  },
);
