import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { glob } from 'tinyglobby';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
/** A run of tests has settings of its own, which a developer's shell does not have. */
const { PATH = '', HOME = '' } = process.env;
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = await glob(['*.md', 'docs/**/*.md', 'reference/**/*.md', 'test/**/*.md'], {
  cwd: root,
  ignore: ['**/node_modules/**', 'CHANGELOG.md'],
});
/** With the lines of a command in one. */
const texts = pages.map((page) =>
  textOf(page).replace(/(?<=\S)\s+(?=\S)/g, (space) => (space.includes('\n\n') ? '\n' : ' ')),
);

interface Command {
  project: string | undefined;
  files: string[];
  /** The argument of `-t`. */
  title: string | undefined;
}

/** The commands of pages and scripts that run some of the tests. */
function commands(): Command[] {
  const scripts = Object.values(JSON.parse(textOf('package.json')).scripts as Record<string, string>);
  const all = [...texts, ...scripts].flatMap((text) => [
    ...text.matchAll(
      /(vitest run|npm run test:long --|npm test --)((?: --project \w+)?)((?: test\/[\w./-]+)+)(?: -t '([^']+)')?/g,
    ),
  ]);
  return all.map(([, program, project = '', files = '', title]) => ({
    project: program?.includes('test:long')
      ? 'long'
      : program === 'npm test --'
        ? 'quick'
        : /\w+$/.exec(project)?.[0],
    files: files.trim().split(' '),
    title,
  }));
}

it('names in pages and scripts only commands for tests that there are', async () => {
  const named = commands();
  expect(named.length).toBeGreaterThan(5);
  const filters = [...new Set(named.flatMap(({ files }) => files))];
  // After the filters, because `--json` takes the name of a file to write to.
  const args = ['vitest', 'list', '--filesOnly', ...filters, '--json'];
  const { stdout } = await run('npx', args, {
    cwd: root,
    env: { PATH, HOME, NO_COLOR: '1' },
    maxBuffer: 2 ** 26,
  });
  const tests = JSON.parse(stdout.slice(stdout.indexOf('['))) as { file: string; projectName?: string }[];
  const isMatched = ({ project, title = '' }: Command, filter: string) =>
    tests.some(
      ({ file, projectName }) =>
        file.includes(filter) &&
        (project === undefined || project === projectName) &&
        // Of the text, because a test that is skipped for want of a program is not listed.
        new RegExp(title).test(readFileSync(file, 'utf8')),
    );
  const unmatched = named.filter((command) => !command.files.every((filter) => isMatched(command, filter)));
  expect(unmatched).toEqual([]);
});

it('names in pages only scripts of package.json', () => {
  const folders = ['.', 'bench', 'examples/dashboard'].filter((folder) =>
    existsSync(join(root, folder, 'package.json')),
  );
  const scripts = folders.flatMap((folder) =>
    Object.keys(JSON.parse(textOf(`${folder}/package.json`)).scripts),
  );
  const named = texts.flatMap((text) => [...text.matchAll(/npm (?:--prefix \S+ )?run ([a-z][\w:-]*)/g)]);
  expect(named.length).toBeGreaterThan(30);
  expect(named.map(([, script = '']) => script).filter((script) => !scripts.includes(script))).toEqual([]);
});
