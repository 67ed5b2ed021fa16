import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const linesOf = (page: string) => readFileSync(join(root, page), 'utf8').trimEnd().split('\n');
const pages = ['.', 'docs', 'docs/decisions', 'examples/dashboard'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

it.each(pages)('links in %s to files that exist', (page) => {
  const links = [
    ...linesOf(page)
      .join('\n')
      .matchAll(/\]\(([^)#\s]+)[^)]*\)/g),
  ].map(([, link = '']) => link);
  const local = links.filter((link) => !/^\w+:/.test(link));
  expect(local.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
});

it('has a README of at most 120 lines, with the first command by line 25', () => {
  const lines = linesOf('README.md');
  expect(lines.length).toBeLessThanOrEqual(120);
  expect(lines.indexOf('```sh')).toBeLessThan(25);
});

it('lists every page in docs/README.md', () => {
  const index = linesOf('docs/README.md').join('\n');
  const unlisted = readdirSync(join(root, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !index.includes(`](${name})`),
  );
  expect(unlisted).toEqual([]);
});
