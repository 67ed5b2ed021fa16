import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkConfiguration } from '../../src/command/check.ts';
import { postQuery } from '../support/gateway.ts';
import { makeFolder, writeManifest } from '../support/manifest.ts';
import { startProcess } from '../support/process.ts';

async function writeSettings(yaml: string): Promise<string> {
  const path = join(await makeFolder(), 'portico.yaml');
  await writeFile(path, yaml);
  return path;
}

const portico = async (args: string[], env: Record<string, string> = {}) =>
  (await startProcess('main.ts', env, args)).exit();

it('prints what is set and where, without secrets, if the configuration is valid', async () => {
  const { path } = await writeManifest({ a: '{ __typename }', b: '{ health { reachable } }' });
  const file = await writeSettings(
    `PORT: 0\nCACHE_URL: redis://:hunter2@127.0.0.1\nMAX_IDS: 7\nTRUSTED_DOCUMENTS: ${path}`,
  );
  const env = {
    MAX_IDS: '8',
    UPSTREAM_URL: 'https://example.com/base',
    REFERENCE_RATE_LIMIT_URL: 'redis://:hunter2@h',
  };
  const { code, stdout, stderr } = await portico(['check-config', '--config', file], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'the configuration is valid',
    `PORT=0 (${file}:1)`,
    'UPSTREAM_URL=https://example.com/base (environment)',
    `CACHE_URL is set; the value may be secret (${file}:2)`,
    'MAX_IDS=8 (environment)',
    `TRUSTED_DOCUMENTS=${path} (${file}:4)`,
    'REFERENCE_RATE_LIMIT_URL is set; the value may be secret (environment)',
    'all other settings have their defaults',
    'trusted documents: 2',
  ]);
});

it('reports all faults, those of the trusted documents included', async () => {
  const { path } = await writeManifest({
    a: '{ nothing }',
    b: 'mutation { a }',
    c: '{ __schema { types { name } } }',
  });
  const file = await writeSettings(
    `PROT: 1\nTRUSTED_DOCUMENTS: ${path}\nINTROSPECTION: off\nREFERENCE_DATABASE_URL: x\nPORT: y`,
  );
  const { faults } = await checkConfiguration(file);
  expect(faults).toEqual([
    `${file}:1: PROT is not a setting; did you mean PORT?`,
    `${file}:5: PORT must be a whole number from 0 to 65535`,
    `${file}:4: REFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:`,
    `${file}:2: TRUSTED_DOCUMENTS has a fault in "a": Cannot query field "nothing" on type "Query". (1:3)`,
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "b": There is no mutation here/),
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "c": GraphQL introspection has been disabled/),
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "c": GraphQL introspection has been disabled/),
  ]);
});

it('serves with the settings of the file that the environment does not override', async () => {
  const file = await writeSettings('PORT: x\nMAX_IDS: 1\nREFERENCE_RATE_LIMIT: 5000\n');
  const main = await startProcess('main.ts', { PORT: '0' }, ['--config', file]);
  const [, url = ''] = await main.printed(/ready at (\S+)\n/);
  const [, key = ''] = await main.printed(/demo key: (\S+)\n/);
  const { errors } = await postQuery(url, '{ sites(ids: ["SITE-1001", "SITE-1002"]) { id } }', { key });
  expect(errors?.[0]?.message).toBe('A list of ids may hold at most 1 of them.');
});

it('exits with 1 if the file has a fault', async () => {
  const file = await writeSettings('MAXIDS: 1');
  expect(await portico(['--config', file], { PORT: '0' })).toEqual({
    code: 1,
    stdout: '',
    stderr: `${file}:1: MAXIDS is not a setting; did you mean MAX_IDS?\n`,
  });
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
  expect(stdout).toMatch(/^Usage: portico .*--config FILE/);
});
