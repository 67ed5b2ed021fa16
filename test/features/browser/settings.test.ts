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
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([expect.stringMatching(fault)]);
});

it('splits lists at commas, and ignores blanks around them', () => {
  const env = {
    CORS_ORIGINS: 'https://app.example.com, http://[::1]:3000',
  };
  expect(configFromEnv(env).config?.edge).toMatchObject({
    corsOrigins: ['https://app.example.com', 'http://[::1]:3000'],
  });
});
