import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { declared } from '../../src/command/configuration.ts';
import { readSettingsFile, settingsFromYaml } from '../../src/config/file.ts';
import { makeFolder } from '../support/manifest.ts';

const read = (yaml: string) => settingsFromYaml(yaml, 'portico.yaml', declared);

it.each<[string, Record<string, string>]>([
  ['', {}],
  ['# nothing\n', {}],
  ['PORT: 4000 # the port', { PORT: '4000' }],
  ['{ PORT: 1, HOST: "::1" }', { PORT: '1', HOST: '::1' }],
  ['"PORT": 1\r\nHOST: b\r\n', { PORT: '1', HOST: 'b' }],
  ['PORT:\nHOST: ~\nMAX_IDS: null\nMAX_ERRORS: ""', { PORT: '', HOST: '', MAX_IDS: '', MAX_ERRORS: '' }],
  ['UPSTREAM_URL: https://host:1/base#x', { UPSTREAM_URL: 'https://host:1/base#x' }],
  // As written: the environment accepts no other notation either.
  ['PORT: 0x10', { PORT: '0x10' }],
  ['PORT: 1e3', { PORT: '1e3' }],
  ['PORT: 0o7', { PORT: '0o7' }],
  ['PORT: 010', { PORT: '010' }],
  ['PORT: 1.0', { PORT: '1.0' }],
  ['CACHE_MAX_BYTES: 123456789012345678901', { CACHE_MAX_BYTES: '123456789012345678901' }],
  ['REFERENCE_SUNSET_DATE: 2030-01-02', { REFERENCE_SUNSET_DATE: '2030-01-02' }],
  ['GRAPHIQL: on', { GRAPHIQL: 'on' }],
  ['%YAML 1.1\n---\nGRAPHIQL: on', { GRAPHIQL: 'on' }],
  ['GRAPHIQL: true\nCOALESCING: False', { GRAPHIQL: 'on', COALESCING: 'off' }],
  ['GRAPHIQL: "true"\nCOALESCING: yes', { GRAPHIQL: 'true', COALESCING: 'yes' }],
  ['INTROSPECTION: false', { INTROSPECTION: 'off' }],
  ['INTROSPECTION: true\nSITE_ID_PREFIX: true', { INTROSPECTION: 'true', SITE_ID_PREFIX: 'true' }],
  ['CORS_ORIGINS: [https://a.test, https://b.test]', { CORS_ORIGINS: 'https://a.test,https://b.test' }],
  ['TRUST_PROXY:\n- loopback\n- fd00::/8\n', { TRUST_PROXY: 'loopback,fd00::/8' }],
  ['TRUST_PROXY: loopback, fd00::/8', { TRUST_PROXY: 'loopback, fd00::/8' }],
  ['CORS_ORIGINS: []', { CORS_ORIGINS: '' }],
  ['TRUSTED_DOCUMENTS: >-\n  a\n  b', { TRUSTED_DOCUMENTS: 'a b' }],
])('reads %j', (yaml, texts) => {
  expect(read(yaml)).toMatchObject({ texts, faults: [] });
});

it.each<[string, ...string[]]>([
  [
    'PORT: 1\n\nUPSTREAM_TIMEOUTMS: 5',
    'portico.yaml:3: UPSTREAM_TIMEOUTMS is not a setting; did you mean UPSTREAM_TIMEOUT_MS?',
  ],
  ['port: 1', 'portico.yaml:1: port is not a setting; did you mean PORT?'],
  ['retry-percent: 1', 'portico.yaml:1: retry-percent is not a setting; did you mean RETRY_PERCENT?'],
  ['ELEPHANTS: 1', 'portico.yaml:1: ELEPHANTS is not a setting'],
  ['FOO: 1', 'portico.yaml:1: FOO is not a setting'],
  ['constructor: 1', 'portico.yaml:1: constructor is not a setting'],
  ['__proto__: 1', 'portico.yaml:1: __proto__ is not a setting'],
  ['<<: { PORT: 1 }', 'portico.yaml:1: a name is not a setting'],
  ['? \n: 1', 'portico.yaml:1: a name is not a setting'],
  ['PORT: 1\nHOST: a\n\nPORT: 2', 'portico.yaml:4: is not YAML: Map keys must be unique'],
  ['PORT: [1]', 'portico.yaml:1: PORT must be a single value'],
  ['PORT: { a: 1 }', 'portico.yaml:1: PORT must be a single value'],
  ['TRUST_PROXY: { a: 1 }', 'portico.yaml:1: TRUST_PROXY must be a text or a list'],
  ['TRUST_PROXY: [[loopback]]', 'portico.yaml:1: TRUST_PROXY must be a text or a list'],
  ['HOST: "a\\0"', 'portico.yaml:1: HOST must be on one line, without control characters'],
  ['HOST: |\n  a\n', 'portico.yaml:1: HOST must be on one line, without control characters'],
  ['HOST: !!str a', 'portico.yaml:1: must hold no tag'],
  ['HOST: !secret a', 'portico.yaml:1: must hold no tag'],
  ['!!map { PORT: 1 }', 'portico.yaml:1: must hold no tag'],
  ['HOST: &a x', 'portico.yaml:1: must hold no anchor'],
  [
    'HOST: &a x\nSITE_ID_PREFIX: *a',
    'portico.yaml:1: must hold no anchor',
    'portico.yaml:2: must hold no alias',
    'portico.yaml:2: SITE_ID_PREFIX must be a single value',
  ],
  ['- PORT', 'portico.yaml:1: must be a map of settings, such as PORT: 4000'],
  ['\n\nsome text', 'portico.yaml:3: must be a map of settings, such as PORT: 4000'],
  ['PORT=4000', 'portico.yaml:1: must be a map of settings, such as PORT: 4000'],
  ['PORT: 1\n---\nPORT: 2', 'portico.yaml:2: is not YAML: there is more than one document'],
])('reports the faults of %j', (yaml, ...faults) => {
  expect(read(yaml).faults).toEqual(faults);
});

it.each(['[', '- ', '{a: ', '? '])(
  'rejects sixty thousand characters of %j without exhausting the stack',
  (piece) => {
    const { faults } = read(`HOST:\n  ${piece.repeat(60_000 / piece.length)}`);
    expect(faults).toEqual(['portico.yaml:1: must be a map of settings, such as PORT: 4000']);
  },
);

it('reports all faults in the order of the lines', () => {
  const yaml = 'A: 1\nPORT: [1]\nHOST: !x y\nHOST: z\nREFERENCE_RATE_LIMIT: 5\n';
  expect(read(yaml).faults.map((fault) => fault.slice(0, 16))).toEqual(
    [1, 2, 3, 4].map((line) => `portico.yaml:${line}: `),
  );
  expect(read(yaml).texts).toMatchObject({ REFERENCE_RATE_LIMIT: '5' });
});

it.each([
  'CACHE_URL: redis://:hunter2@host: x',
  'CACHE_URL: "redis://:hunter2\\q@host"',
  'CACHE_URL: "\\hunter2"',
  'CACHE_URL: @hunter2',
  'CACHE_URL: !hunter2 x',
  'CACHE_URL: *hunter2',
  'CACHE_URL: | hunter2\n  x',
  'CACHE_URL: "x" hunter2',
  'PORT: 1\n}hunter2',
  '"hunter2',
  'hunter2!: 1',
  'PORT: 1\n---\nhunter2: 1',
])('repeats no value, which may be secret: %j', (yaml) => {
  const { faults } = read(yaml);
  expect(faults.join()).toMatch(/^portico\.yaml:\d: /);
  expect(faults.join()).not.toContain('hunter');
});

it('reports why a file cannot be read', async () => {
  const folder = await makeFolder();
  const path = join(folder, 'portico.yaml');
  const faultsOf = async () => (await readSettingsFile(path, declared)).faults;
  expect(await faultsOf()).toEqual([expect.stringMatching(/^\S+portico\.yaml cannot be read: ENOENT/)]);
  await writeFile(path, `#${' '.repeat(65_536)}`);
  expect(await faultsOf()).toEqual([`${path} must be no larger than 65536 bytes`]);
  await writeFile(path, Buffer.from('HOST: caf\xe9', 'latin1'));
  expect(await faultsOf()).toEqual([expect.stringContaining('cannot be read: ')]);
  await writeFile(path, '\ufeffPORT: 1');
  expect(await readSettingsFile(path, declared)).toMatchObject({ texts: { PORT: '1' }, faults: [] });
  await mkdir(`${path}.d`);
  expect((await readSettingsFile(`${path}.d`, declared)).faults).toEqual([`${path}.d must be a file`]);
});
