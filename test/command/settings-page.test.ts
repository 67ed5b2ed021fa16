import { expect, it } from 'vitest';
import { readReferenceConfig } from '../../reference/config.ts';
import { allSections, defaultOf } from '../../src/command/help.ts';
import type { Declared } from '../../src/config/declaration.ts';
import { settings } from '../../src/features.ts';
import { textOf } from '../support/files.ts';

const sections = allSections(settings);
const { configFromEnv } = settings;

const readme = textOf('README.md');

const rowOf = ([name, type]: [string, Declared[string]]) =>
  `| \`${name}\` | ${defaultOf(type) === '' ? 'unset' : `\`${defaultOf(type)}\``} | ${type.description} |`;

const rowsIn = (settings: Declared) => Object.entries(settings).map(rowOf);

const tables = Object.entries(sections)
  .map(([heading, settings]) =>
    [`## ${heading}`, '', '| Setting | Default | Meaning |', '|---|---|---|', ...rowsIn(settings)].join('\n'),
  )
  .join('\n\n');

const page = `# Settings

<!-- Generated from src/config/ and reference/config.ts by \`npm run codegen\`. -->

Settings are environment variables; an empty one counts as unset. A file of them, and how to check a configuration before a
deployment: [operations.md](operations.md#configuration). Durations end in \`_MS\` (milliseconds) or \`_S\` (seconds), sizes in
\`_BYTES\`.

${tables}
`;

it('documents every setting in docs/settings.md; npm run codegen writes it', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/settings.md');
});

/** Name and default of each row of a table of settings. */
const rowsOf = (text: string) => [...text.matchAll(/^\| `([A-Z_]+)` \| (?:unset|`(.*?)`) \| .+ \|$/gm)];

it('documents the defaults in force', () => {
  const env = Object.fromEntries(rowsOf(page).map(([, name, fallback = '']) => [name, fallback]));
  const names = Object.values(sections).flatMap((section) => Object.keys(section));
  expect(Object.keys(env).sort()).toEqual(names.sort());
  expect(configFromEnv(env)).toEqual(configFromEnv({}));
  expect(readReferenceConfig(env)).toEqual(readReferenceConfig({}));
  expect(configFromEnv({}).config).toMatchObject({ port: 4000, host: '127.0.0.1', introspection: 'open' });
});

it('has the settings of README.md in the same words', () => {
  const rows = rowsOf(readme).map(([row]) => row);
  const all = Object.values(sections).flatMap(rowsIn);
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((row) => !all.includes(row))).toEqual([]);
});
