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

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = linesOf(page).filter((line) => /^#+ /.test(line));
  return headings.map((line) =>
    line
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The links of a page to files of the repository, each with its section. */
function linksOf(page: string): { path: string; anchor: string | undefined }[] {
  const text = linesOf(page).join('\n');
  const links = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^\w+:/.test(link));
  return local.map((link) => {
    const [file = '', anchor] = link.split('#');
    return { path: file === '' ? page : join(dirname(page), file), anchor };
  });
}

it.each(pages)('links in %s to files that exist, and to sections that they have', (page) => {
  const isBroken = ({ path, anchor }: ReturnType<typeof linksOf>[number]) =>
    !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
  expect(linksOf(page).filter(isBroken)).toEqual([]);
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

/** What a reader may copy from: pages, manifests, scripts, examples, and what the programs and GraphiQL print. */
const copied = ['docs', 'deploy', 'examples', 'src', 'reference', 'graphiql', 'bench', 'build']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .concat(readdirSync(root))
  .filter(
    (path) => !path.includes('node_modules') && /\.(md|ts|tsx|html|ya?ml|sh|json|env|service)$/.test(path),
  );

it('has npx run portico only where it is installed: nobody owns the name in a registry', () => {
  const used = copied.flatMap((path) =>
    // In a command, or in a list of its words.
    [
      ...linesOf(path)
        .join('\n')
        .matchAll(/\bnpx\b((?:[\s"',:[\]]|args|--?[\w=@/-]+)*?)\bportico\b/g),
    ].map(([, options = '']) => ({ path, options })),
  );
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter(({ options }) => !options.includes('--no-install'))).toEqual([]);
});

it('names the file of every layer of a REST call in docs/faults.md', () => {
  const stack = linesOf('src/upstream/stack.ts').join('\n');
  const files = [
    ...stack.matchAll(/^(?!import type ).* from '\.\/(?:guards\/)?((?!client\.ts)[\w-]+\.ts)'/gm),
  ].map(([, path]) => `\`${path}\``);
  const page = linesOf('docs/faults.md').join('\n');
  expect(files.filter((file) => !page.includes(file))).toEqual([]);
});
