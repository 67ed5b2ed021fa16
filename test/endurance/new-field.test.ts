import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { copyProject, shellEnv } from '../support/project.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** The steps of docs/architecture.md: the file, the line after which the new one stands, and the new one. */
const steps: [file: string, after: RegExp, line: string][] = [
  ['src/upstream/resources.ts', /^ {2}zip: .*\n/m, '  region: string,\n'],
  ['src/schema/types/site.ts', /^ {4}zip: .*\n/m, "    region: 'Region of the address.',\n"],
  ['reference/contract.ts', /^ {2}zip: .*\n/m, '  region: text,\n'],
  ['CHANGELOG.md', /^## Unreleased\n/m, '\n### Added\n\n- `Site.region`, the region of the address.\n'],
];

/** The quick tests about the schema, its data and what is generated of them. */
const concerned = [
  ...['test/house.test.ts', 'test/docs.test.ts', 'test/figures.test.ts', 'test/selection.test.ts'],
  ...['test/schema', 'test/upstream/decode.test.ts', 'test/upstream/drift.test.ts'],
  ...['test/laws/differential/drawn', 'test/features/compiled/laws/compiled', 'test/laws/property/operation'],
  ...[
    'test/laws/property/look-ahead',
    'test/features/explain/plan.test.ts',
    'test/command/settings-page.test.ts',
  ],
  ...['test/clients/cache-lists.test.ts', 'test/programs/plan/editor.test.ts'],
  ...['test/reference/data/', 'test/reference/openapi'],
];

it('is a field of the API after the steps of the guide, with every check passed', {
  timeout: 1_800_000,
}, async () => {
  const page = await readFile(join(root, 'docs/architecture.md'), 'utf8');
  const guide = page.slice(page.indexOf('## How to add a field'), page.indexOf('## How to add a layer'));
  const cwd = await copyProject();
  for (const [file, after, line] of steps) {
    expect(guide).toContain(`\`${file.replace(/^src\//, '').replace(/types\/.*/, 'types/')}\``);
    const text = await readFile(join(cwd, file), 'utf8');
    expect(text).toMatch(after);
    await writeFile(
      join(cwd, file),
      text.replace(after, (found) => found + line),
    );
  }
  const sh = (command: string) =>
    run('sh', ['-c', command], { cwd, env: shellEnv(), maxBuffer: 2 ** 26 }).catch(({ stdout, stderr }) => {
      throw new Error(`${command}\n${stdout}\n${stderr}`);
    });
  await sh('npm run codegen');
  expect(await readFile(join(cwd, 'schema.graphql'), 'utf8')).toContain('  region: String\n');
  await sh('npx biome ci src reference && npx tsc && npx graphql-codegen --check');
  const { stdout } = await sh(`npx vitest run --project quick --reporter default ${concerned.join(' ')}`);
  expect(Number(/Tests +(\d+) passed/.exec(stdout)?.[1])).toBeGreaterThan(150);
});
