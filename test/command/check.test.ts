import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { writeManifest } from '../support/manifest.ts';
import { startProcess } from '../support/process.ts';

const portico = async (args: string[], env: Record<string, string> = {}) =>
  (await startProcess('main.ts', env, args)).exit();

it('prints what is set, without secrets, if the configuration is valid', async () => {
  const { path } = await writeManifest({ a: '{ __typename }', b: '{ health { reachable } }' });
  const { code, stdout, stderr } = await portico(['check-config'], {
    PORT: '0',
    CACHE_URL: 'redis://:hunter2@127.0.0.1',
    MAX_IDS: '8',
    HOST: '',
    TRUSTED_DOCUMENTS: path,
    UPSTREAM_URL: 'https://example.com/base',
    REFERENCE_RATE_LIMIT_URL: 'redis://:hunter2@h',
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'the configuration is valid',
    'PORT=0',
    'UPSTREAM_URL=https://example.com/base',
    'CACHE_URL is set; the value may be secret',
    'MAX_IDS=8',
    `TRUSTED_DOCUMENTS=${path}`,
    'REFERENCE_RATE_LIMIT_URL is set; the value may be secret',
    'all other settings have their defaults',
    'trusted documents: 2',
  ]);
});

it('exits with 1 and all faults, those of the embedded reference and the trusted documents included', async () => {
  const { path } = await writeManifest({
    a: '{ nothing }',
    b: 'mutation { a }',
    c: '{ __schema { types { name } } }',
  });
  const { code, stdout, stderr } = await portico(['check-config'], {
    TRUSTED_DOCUMENTS: path,
    INTROSPECTION: 'off',
    REFERENCE_DATABASE_URL: 'x',
    PORT: 'y',
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    'PORT must be a whole number from 0 to 65535',
    'REFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:',
    'TRUSTED_DOCUMENTS has a fault in "a": Cannot query field "nothing" on type "Query". (1:3)',
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "b": There is no mutation here/),
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "c": GraphQL introspection has been disabled/),
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "c": GraphQL introspection has been disabled/),
  ]);
});

it('exits with 2 on unknown arguments', async () => {
  expect(await portico(['serve', '--foo'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'unknown option: --foo\nunknown command: serve\nrun portico --help\n',
  });
});

it('prints the help even if the settings have faults', async () => {
  const { code, stdout, stderr } = await portico(['--help'], { PORT: 'x' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: portico /);
});

it('prints schema.graphql, even if the settings have faults', async () => {
  const { code, stdout, stderr } = await portico(['print-schema'], { PORT: 'not read' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trimEnd()).toBe(readFileSync(resolve(import.meta.dirname, '../../schema.graphql'), 'utf8'));
});
