import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it.each([
  ...['app.example.com', 'https://app.example.com/', 'https://App.example.com', 'https://*.example.com'],
  ...['ftp://app.example.com', 'null', 'https://app.example.com,'],
])('rejects CORS_ORIGINS=%s', (CORS_ORIGINS) => {
  const fault = /^CORS_ORIGINS must be \*, or origins as browsers send them/;
  expect(configFromEnv({ CORS_ORIGINS }).faults).toEqual([expect.stringMatching(fault)]);
});

it('splits lists at commas, and ignores blanks around them', () => {
  const CORS_ORIGINS = 'https://app.example.com, http://[::1]:3000';
  expect(configFromEnv({ CORS_ORIGINS }).config?.edge).toMatchObject({
    corsOrigins: ['https://app.example.com', 'http://[::1]:3000'],
  });
});
