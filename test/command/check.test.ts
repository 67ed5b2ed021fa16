import { expect, it, onTestFinished, vi } from 'vitest';
import { allSections } from '../../src/command/help.ts';
import { readConfiguration } from '../../src/config/settings.ts';
import { settings } from '../../src/features.ts';
import { runCommand } from '../support/command.ts';
import { textOf } from '../support/files.ts';
import { writeManifest } from '../support/manifest.ts';
import { startProcess } from '../support/process.ts';

const checkConfig = (env: Record<string, string>) => runCommand(['check-config'], { env });
const codeOf = async (env: Record<string, string>) => (await checkConfig(env)).code;

it('prints what is set, without secrets, if the configuration is valid', async () => {
  const { path } = await writeManifest({ a: '{ __typename }', b: '{ health { reachable } }' });
  const { code, stdout, stderr } = await checkConfig({
    PORT: '0',
    CACHE_URL: 'redis://:hunter2@127.0.0.1',
    MAX_UPSTREAM_CALLS: '8',
    HOST: '',
    TRUSTED_DOCUMENTS: path,
    UPSTREAM_URL: 'https://example.com/base',
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'the configuration is valid',
    'PORT=0',
    'UPSTREAM_URL=https://example.com/base',
    'CACHE_URL is set; the value may be secret',
    'MAX_UPSTREAM_CALLS=8',
    `TRUSTED_DOCUMENTS=${path}`,
    'all other settings have their defaults',
    'trusted documents: 2',
  ]);
});

it('names each setting that has one letter wrong, or no unit', async () => {
  const names = Object.values(allSections(settings)).flatMap((section) => Object.keys(section));
  const wrong = names.map(
    (name, n) => `${name.slice(0, n % name.length)}Z${name.slice((n % name.length) + 1)}`,
  );
  for (const name of [...wrong, 'CACHE_TTL']) vi.stubEnv(name, '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { warnings = [] } = await readConfiguration(settings);
  for (const [n, name] of wrong.entries())
    expect(warnings).toContainEqual(
      expect.stringMatching(new RegExp(`^${name} is no setting: .*\\b${names[n]}\\b`)),
    );
  expect(warnings.filter((line) => line.includes('is no setting'))).toHaveLength(names.length + 1);
  const { code, stdout } = await checkConfig({ CACHE_TTL: '1', HOME: '/' });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('is it CACHE_TTL_MS?') });
  expect(stdout).not.toContain('HOME');
});

it('exits with 1 and all faults of the settings, or of the trusted documents', async () => {
  const { path } = await writeManifest({
    a: '{ nothing }',
    b: 'mutation { a }',
    c: '{ __schema { types { name } } }',
  });
  const env = { TRUSTED_DOCUMENTS: path, INTROSPECTION: 'off' };
  const invalid = await checkConfig({ ...env, REFERENCE_DATABASE_URL: 'x', PORT: 'y' });
  expect(invalid).toMatchObject({ code: 1, stdout: '' });
  expect(invalid.stderr.trim().split('\n')).toEqual([
    'PORT must be a whole number from 0 to 65535',
    'REFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:',
  ]);
  const { code, stdout, stderr } = await checkConfig(env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    'TRUSTED_DOCUMENTS has a fault in "a": Cannot query field "nothing" on type "Query". (1:3)',
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "b": There is no mutation here/),
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "c": GraphQL introspection has been disabled/),
    expect.stringMatching(/TRUSTED_DOCUMENTS has a fault in "c": GraphQL introspection has been disabled/),
  ]);
});

/** In processes, because `runCommand` has the codes anew. */
it.each<[string, number, string]>([
  ['serve --foo', 2, 'unknown command\nrun portico --help\n'],
  // The facts that a command reads from its surroundings.
  ['check-upstream', 1, 'PORTICO_API_KEY must be one API key'],
  ['--help', 0, ''],
])('exits by `portico %s` with %i, even if a setting has a fault', async (line, code, stderr) => {
  const ended = await (await startProcess('main.ts', { PORT: 'x' }, line.split(' '))).exit();
  expect(ended).toMatchObject({ code, stderr: expect.stringContaining(stderr) });
  expect(ended.stdout).toMatch(code === 0 ? /^Usage: portico / : /^$/);
});

it.each([
  [[], ['schema.graphql']],
  [['--live'], ['schema.graphql', 'examples/dashboard/live.graphql']],
])('prints the schema whatever the settings are, with %j', async (options, paths) => {
  const env = { PORT: 'not read', LIVE: 'off', NODE_ENV: 'production' };
  const { code, stdout, stderr } = await runCommand(['print-schema', ...options], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const texts = paths.map((path) => textOf(path).trim());
  expect(stdout.trim()).toBe(texts.join('\n\n'));
});

it('accepts trusted documents with representations where the gateway would', async () => {
  const { path } = await writeManifest({ a: '{ _entities(representations: []) { __typename } }' });
  const check = (FEDERATION: string) => codeOf({ TRUSTED_DOCUMENTS: path, FEDERATION });
  expect(await check('on')).toBe(0);
  expect(await check('off')).toBe(1);
});

it('accepts trusted live queries where the gateway would', async () => {
  const { path } = await writeManifest({ a: 'subscription { live { site(id: "SITE-1") { city } } }' });
  const check = (env: Record<string, string>) => codeOf({ TRUSTED_DOCUMENTS: path, ...env });
  const production = { NODE_ENV: 'production', UPSTREAM_URL: 'https://example.com' };
  expect(await check({})).toBe(0);
  expect(await check({ LIVE: 'off' })).toBe(1);
  expect(await check(production)).toBe(1);
  expect(await check({ ...production, LIVE: 'on' })).toBe(0);
});
