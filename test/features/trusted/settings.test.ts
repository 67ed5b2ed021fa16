import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const { configFromEnv } = settings;

it.each<readonly [string, string, string]>([
  ['TRUSTED_DOCUMENTS_ONLY', 'yes', 'TRUSTED_DOCUMENTS_ONLY must be one of on, off'],
  ['TRUSTED_DOCUMENTS_ONLY', 'on', 'TRUSTED_DOCUMENTS must be set where TRUSTED_DOCUMENTS_ONLY is on'],
])('rejects %s=%s', (name, text, fault) => {
  expect(configFromEnv({ [name]: text }).faults).toEqual([fault]);
});

it('rejects a subgraph that executes trusted documents alone: a router composes its documents', () => {
  const trusted = { TRUSTED_DOCUMENTS: 'a.json', FEDERATION: 'on' };
  expect(configFromEnv({ ...trusted, TRUSTED_DOCUMENTS_ONLY: 'on' }).faults).toEqual([
    'FEDERATION must be off where TRUSTED_DOCUMENTS_ONLY is on: routers send documents of their own',
  ]);
  expect(configFromEnv(trusted).faults).toBeUndefined();
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
