import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../support/command.ts';
import { makeRepository } from '../../support/repository.ts';
import { writeFiles } from './plan-in.ts';

/** The settings of git that are commands, or name files with more of them; `MARK` is a command that leaves a file. */
const commands = {
  'core.fsmonitor': 'MARK',
  'core.hooksPath': 'HOOKS',
  'core.sshCommand': 'MARK',
  'core.pager': 'MARK',
  'core.editor': 'MARK',
  'core.alternateRefsCommand': 'MARK',
  'core.askPass': 'MARK',
  'core.attributesFile': 'ATTRIBUTES',
  'credential.helper': '!MARK',
  'diff.external': 'MARK',
  'diff.x.textconv': 'MARK',
  'diff.x.command': 'MARK',
  'filter.x.clean': 'MARK',
  'filter.x.smudge': 'MARK',
  'filter.x.process': 'MARK',
  'filter.x.required': 'true',
  'merge.x.driver': 'MARK',
  'gpg.program': 'MARK',
  'pager.ls-files': 'MARK',
  'pager.ls-tree': 'MARK',
  'alias.ls-files': '!MARK',
  'alias.ls-tree': '!MARK',
  'include.path': 'MORE',
  'uploadpack.packObjectsHook': 'MARK',
};

/** A folder in which whatever starts a command that its files name leaves a file in `markers`. */
async function makeHostileFolder() {
  const markers = await writeFiles({});
  const { folder, git, commit } = await makeRepository();
  const files = {
    'src/page.graphql': 'query Page { health { reachable } }',
    'src/.gitattributes': '* filter=x diff=x merge=x',
    'base.json': '{ "operations": [], "faults": [] }',
  };
  await commit(files);
  const hostile = async (name: string, mode: number, text: string) => {
    await writeFile(join(folder, name), text, { mode });
    return join(folder, name);
  };
  await mkdir(join(folder, 'hooks'));
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman'])
    await hostile(`hooks/${hook}`, 0o755, `#!/bin/sh\ntouch ${markers}/hook-${hook}\n`);
  const attributes = await hostile('attributes', 0o644, '* filter=x diff=x merge=x');
  const more = await hostile('more', 0o644, `[core]\n\tfsmonitor = touch ${markers}/include\n`);
  // A bare repository: these are ordinary files, which any commit may have.
  for (const name of ['objects', 'refs']) await mkdir(join(folder, 'src', name));
  for (const name of ['src/objects/keep', 'src/refs/keep']) await hostile(name, 0o644, '');
  await hostile('src/HEAD', 0o644, 'ref: refs/heads/main\n');
  const bare = await hostile('src/config', 0o644, '[core]\n\tbare = false\n\tworktree = ..\n');
  for (const config of [bare, join(folder, '.git/config')])
    for (const [name, command] of Object.entries(commands)) {
      const value = command
        .replace('MARK', `touch ${markers}/${name};`)
        .replace('HOOKS', join(folder, 'hooks'))
        .replace('ATTRIBUTES', attributes)
        .replace('MORE', more);
      await git('config', '--file', config, name, value);
    }
  return { folder, markers };
}

it.each([
  ['a folder', ['src']],
  ['a glob', ['src/**/*.graphql']],
  ['a file', ['src/page.graphql', '!src/none']],
  ['an older output', ['src', '--against', 'base.json']],
])('starts no command of the folder for %s, and no program at all', async (_, args) => {
  const { folder, markers } = await makeHostileFolder();
  const bin = await writeFiles({ git: `#!/bin/sh\ntouch ${markers}/git\n` });
  await chmod(join(bin, 'git'), 0o755);
  for (const path of [undefined, bin])
    for (const cwd of [folder, join(folder, 'src')]) {
      const relative =
        cwd === folder ? args : args.map((arg) => arg.replace(/^src$/, '.').replace('src/', ''));
      const shown = relative.map((arg) => (cwd !== folder && arg === 'base.json' ? '../base.json' : arg));
      const { code, stdout } = await runCommand(['plan', ...shown], { cwd, env: path ? { PATH: path } : {} });
      expect([code, stdout]).toEqual([0, expect.stringMatching(/Page +1|new +Page/)]);
    }
  expect(await readdir(markers)).toEqual([]);
});

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
    ['app', ['src', '--viewers', 'base.json'], [], '--viewers: the file cannot be read\n'],
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
