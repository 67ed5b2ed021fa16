import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../support/command.ts';
import { writeFiles } from './plan-in.ts';

it('follows no symbolic link below the working directory, or beside it', async () => {
  const secret = 'k3y-secret-0000';
  const outside = await writeFiles({ 'secret.graphql': secret, 'base.json': secret });
  const folder = await writeFiles({
    'src/own.graphql': 'query Own { __typename }',
    'common/a.graphql': 'query Common { __typename }',
    'app/src/own.graphql': 'query Other { __typename }',
  });
  const links = {
    'src/link.graphql': join(outside, 'secret.graphql'),
    'src/twice.graphql': 'link.graphql',
    'src/folder': outside,
    'src/inside': '../common',
    'app/base.json': join(outside, 'base.json'),
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
  const behind = 'cannot be read: it is behind a symbolic link';
  const rows: [cwd: string, args: string[], names: string[], stderr: string][] = [
    ['.', ['src'], ['Own'], ''],
    ['.', ['src/**/*.graphql'], ['Own'], ''],
    ['app', ['../src/**'], ['Own'], ''],
    ['.', ['src/folder/*.graphql'], [], `src/folder/*.graphql: ${behind}\n`],
    ['.', ['src/folder'], [], `src/folder: ${behind}\n`],
    ['.', ['src/link.graphql'], [], `src/link.graphql: ${behind}\n`],
    ['.', ['src/inside/a.graphql'], [], `src/inside/a.graphql: ${behind}\n`],
    ['app', ['../src/link.graphql'], [], `../src/link.graphql: ${behind}\n`],
    ['/', [`${folder}/src/twice.graphql`], [], `${folder}/src/twice.graphql: ${behind}\n`],
    [
      'app',
      ['src', '--against', 'base.json'],
      [],
      '--against: the file cannot be read: it is behind a symbolic link\n',
    ],
  ];
  for (const [cwd, args, names, stderr] of rows) {
    const found = await runCommand(['plan', ...args], { cwd: join(cwd === '/' ? '' : folder, cwd) });
    expect({ args, stderr: found.stderr }).toEqual({ args, stderr });
    expect(found.stdout).not.toContain(secret);
    for (const name of ['Own', 'Common', 'Other'])
      expect(found.stdout.includes(name)).toBe(names.includes(name));
  }
});

it('reads no file that is no text of a bounded size', async () => {
  const folder = await writeFiles({
    'large.graphql': `{ __typename }${' '.repeat(1024 * 1024)}`,
    'large.ts': `gql\`{ __typename }\`;${' '.repeat(1024 * 1024)}`,
    'page.graphql': 'query Page { __typename }',
  });
  for (const [name, text, encoding] of [
    ['utf16.ts', '\ufeffgql`{ a }`', 'utf16le'],
    ['latin.json', '{ "a": "{ a } # caf\xe9" }', 'latin1'],
  ] as const)
    await writeFile(join(folder, name), text, encoding);
  const { code, stdout, stderr } = await runCommand(['plan', '.', 'latin.json', '/dev/zero'], {
    cwd: folder,
  });
  expect([code, stdout]).toEqual([1, expect.stringContaining('Page')]);
  const faults = {
    '/dev/zero': 'it is not a regular file',
    'large.graphql': 'it is larger than 1 MiB',
    'large.ts': 'it is larger than 1 MiB',
    'latin.json': 'it is not in UTF-8',
    'utf16.ts': 'it is not in UTF-8',
  };
  expect(stderr.trim().split('\n').sort()).toEqual(
    Object.entries(faults).map(([file, fault]) => `${file}: cannot be read: ${fault}`),
  );
});
