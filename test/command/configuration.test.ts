import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { configurationFrom, declared } from '../../src/command/configuration.ts';
import { settingsFromYaml } from '../../src/config/file.ts';
import { configFromEnv } from '../../src/config.ts';
import { readReferenceConfig } from '../../src/reference/config.ts';

const origin = fc.constantFrom('https://a.test', 'http://[::1]:3000', 'https://b.test:8443');
const network = fc.constantFrom('loopback', '10.0.0.0/8', 'fd00::/8', '192.0.2.1');
const list = (element: fc.Arbitrary<string>) => fc.array(element, { minLength: 1, maxLength: 3 });
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => !/\p{Cc}/u.test(text));

/** Valid values that the error message of a setting does not describe. */
const known: Record<string, fc.Arbitrary<string>> = {
  CORS_ORIGINS: fc.oneof(fc.constant('*'), list(origin).map(String)),
  TRUST_PROXY: list(network).map(String),
  UPSTREAM_URL: fc.constantFrom('https://api.test', 'https://api.test/base/', 'http://127.0.0.1:4001'),
  CACHE_URL: fc.constantFrom('redis://:p%23w@host/1', 'rediss://u:p@[::1]:6380'),
  SITE_ID_PREFIX: fc.oneof(
    fc.stringMatching(/^\w{1,32}$/),
    fc.constantFrom('true', 'null', '0x1', '1e3', '007'),
  ),
  NODE_ENV: fc.constantFrom('production', 'test', 'true', 'no'),
  REFERENCE_DATABASE_URL: fc.constantFrom(':memory:', 'file:a b.db', 'postgres://u:p@h/d?a=b#c'),
  REFERENCE_HOST: fc.constantFrom('::1', '0.0.0.0', 'a.test'),
  REFERENCE_PUBLIC_URL: fc.constantFrom('https://a.test/b'),
  REFERENCE_RATE_LIMIT_URL: fc.constantFrom('redis://h'),
  REFERENCE_DEPRECATION_DATE: fc.constant('2030-01-02'),
  REFERENCE_SUNSET_DATE: fc.constant('2031-01-02'),
};

/** Values that a setting accepts, as far as its error message describes them. */
function valuesOf(name: string): fc.Arbitrary<string> | undefined {
  if (known[name]) return known[name];
  const must = declared[name as keyof typeof declared].safeParse('\u0001').error?.issues[0]?.message ?? '';
  const [, min, max] = /whole number from (\d+) to (\d+)/.exec(must) ?? [];
  if (max) return fc.integer({ min: Number(min), max: Number(max) }).map(String);
  const [, some] = /one of (.+)$/.exec(must) ?? [];
  if (some) return fc.constantFrom(...some.split(', '));
  return must === '' ? words : undefined;
}

const arbitraries = Object.fromEntries(
  Object.keys(declared).flatMap((name) => {
    const values = valuesOf(name);
    return values ? [[name, values]] : [];
  }),
);
const anySettings = fc.record(arbitraries, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>;

const isValid = (name: string, text: string) =>
  declared[name as keyof typeof declared].safeParse(text).success;

/** The ways to write a value in YAML. */
const styles: ((text: string, name: string) => unknown)[] = [
  (text) => text,
  (text) => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text),
  (text, name) => (isValid(name, 'true') ? text : ({ on: true, off: false }[text] ?? text)),
  (text, name) => (['CORS_ORIGINS', 'TRUST_PROXY'].includes(name) ? text.split(',') : text),
];

const everything = (env: Record<string, string>) => [configFromEnv(env), readReferenceConfig(env)];

it('generates values for nearly every setting', () => {
  expect(Object.keys(declared).length - Object.keys(arbitraries).length).toBeLessThan(5);
});

it('reads the same configuration from a file as from the environment', () => {
  fc.assert(
    fc.property(
      anySettings,
      fc.constantFrom(...styles),
      fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
      (env, style, quotes) => {
        const values = Object.fromEntries(
          Object.entries(env).map(([name, text]) => [name, style(text, name)]),
        );
        const yaml = stringify(values, { defaultStringType: quotes as 'PLAIN', lineWidth: 0 });
        const { texts, faults } = settingsFromYaml(yaml, 'portico.yaml', declared);
        expect(faults, yaml).toEqual([]);
        expect(everything(texts), yaml).toEqual(everything(env));
      },
    ),
    { numRuns: 200 },
  );
});

it('merges the two; the environment overrides the file', () => {
  fc.assert(
    fc.property(anySettings, anySettings, (env, inFile) => {
      const file = settingsFromYaml(stringify(inFile), 'portico.yaml', declared);
      const { config, given } = configurationFrom({ ...env, PORTICO: 'no setting' }, file);
      expect(given).toEqual({ ...inFile, ...env });
      const { config: merged } = configFromEnv({ ...inFile, ...env });
      if (config) expect(config).toEqual(merged);
    }),
    { numRuns: 100 },
  );
});

it.each([
  [{ PORT: '' }, 'PORT: 1', { PORT: '1' }],
  [{ PORT: '2' }, 'PORT:', { PORT: '2' }],
  [{ PORT: '' }, 'PORT: ""', {}],
])('treats an empty setting as unset: %j, %j', (env, yaml, given) => {
  const file = settingsFromYaml(yaml, 'portico.yaml', declared);
  expect(configurationFrom(env, file)).toMatchObject({ given, config: {} });
  expect(configurationFrom(env, file).given).toEqual(given);
});

it('accepts examples/portico.yaml, with its comments uncommented too', async () => {
  const path = resolve(import.meta.dirname, '../../examples/portico.yaml');
  const text = readFileSync(path, 'utf8');
  const all = text.replace(/^# (?=[A-Z_]+:)/gm, '');
  for (const yaml of [text, all]) {
    const { faults, config } = configurationFrom({}, settingsFromYaml(yaml, path, declared));
    expect(faults).toBeUndefined();
    expect(config?.edge.corsOrigins.length).toBe(2);
  }
  expect(all).not.toBe(text);
});

it('puts the place in the file in front of each fault', () => {
  const yaml = 'PORT: x\nHOST: y\nMAX_IDS: 0\nREFERENCE_DATABASE_URL: z\nMAXIDS: 1\nNODE_ENV: production';
  const file = settingsFromYaml(yaml, 'p.yaml', declared);
  const { faults } = configurationFrom({ MAX_IDS: '-1', INTROSPECTION: 'no' }, file);
  expect(faults).toEqual([
    'p.yaml:5: MAXIDS is not a setting; did you mean MAX_IDS?',
    'p.yaml:1: PORT must be a whole number from 0 to 65535',
    'MAX_IDS must be a whole number from 1 to 10000',
    'INTROSPECTION must be one of open, key, off',
    'UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data',
    'p.yaml:4: REFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:',
  ]);
});

it('turns any text into declared settings and faults', () => {
  const piece = fc.constantFrom(
    'PORT',
    ': ',
    '\n',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a',
    '!t ',
    '"',
    "'",
    '|',
    '>',
    '#',
    '1',
    ' ',
    '---',
    '%',
    '?',
    ',',
    '\t',
    'HOST',
    '<<',
    '\\',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
      ),
      (yaml) => {
        const { texts, faults } = settingsFromYaml(yaml, 'portico.yaml', declared);
        expect(Object.keys(texts).filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
        for (const fault of faults) expect(fault).toMatch(/^portico\.yaml:\d+: [^\n]+$/);
      },
    ),
    { numRuns: 1000 },
  );
});
