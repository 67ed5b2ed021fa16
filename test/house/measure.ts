import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { root, textOf } from '../support/files.ts';
import { walkRequest } from './walk.ts';

/**
 * `npm run house`: how large the project is, and how far a request goes through it; fails above a figure. `--quick`: without
 * the request. A figure is raised only by a decision in docs/decisions/ that names what was removed in exchange.
 */

const readJson = (file: string) => JSON.parse(textOf(file));
const linesOf = (file: string) => textOf(file).split('\n').length - 1;
const sum = (files: readonly string[]) => files.reduce((total, file) => total + linesOf(file), 0);

/** The files that git knows or would add, by a pattern of git. */
function tracked(pattern = '*'): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', pattern];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && existsSync(resolve(root, file)));
}

/** Those below a folder: of TypeScript, if nothing else is said. */
const filesIn = (folder: string, name = /\.tsx?$/) => tracked(folder).filter((file) => name.test(file));

const source = filesIn('src');
const core = source.filter((file) => !/^src\/(features|programs)\//.test(file));
const [, hour = ''] = /^## The hour of reading\n([\s\S]*?)^## /m.exec(textOf('docs/architecture.md')) ?? [];
const spine = [...hour.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => `src/${file}`);
const pages = [...filesIn('docs', /\.md$/), 'README.md'];
const words = pages.flatMap((file) => textOf(file).split(/\s+/).filter(Boolean)).length;
const dependencies = tracked('*package.json').flatMap((file) => {
  const { dependencies = {}, devDependencies = {} } = readJson(file);
  return Object.keys({ ...dependencies, ...devDependencies });
});
const locked = tracked('*package-lock.json').map((file) => Object.keys(readJson(file).packages).length - 1);

const rows: [name: string, now: number, atMost: number][] = [
  ['lines of src in all', sum(source), 14_200],
  ['lines of the core', sum(core), 7300],
  ['lines of features and programs', sum(source) - sum(core), 6900],
  ['lines of the spine', sum(spine), 2200],
  ['lines of graphiql/', sum(filesIn('graphiql', /\.(tsx?|css)$/)), 3600],
  ['lines of reference/', sum(filesIn('reference', /\.(ts|md)$/)), 4600],
  ['lines of bench/', sum(filesIn('bench')), 2500],
  ['lines of examples/', sum(filesIn('examples', /\.(tsx?|css|html|graphql)$/)), 5500],
  ['lines of build/ and deploy/', sum([...filesIn('build'), ...filesIn('deploy', /./)]), 1900],
  ['lines of tests', sum(filesIn('test')), 28_000],
  ['words of docs/ and README', words, 28_000],
  ['lines of the README', linesOf('README.md'), 120],
  ['entries at the top', new Set(tracked().map((file) => file.split('/')[0])).size, 24],
  ['direct dependencies', new Set(dependencies).size, 60],
  ['locked packages, of all lock files', locked.reduce((all, one) => all + one, 0), 1300],
  ['longest file of src', Math.max(...source.map(linesOf)), 400],
];
if (!process.argv.includes('--quick')) {
  const { files, hops, frames } = await walkRequest();
  rows.push(['own files of a warm request', files, 40], ['hops of it', hops, 120]);
  rows.push(['frames from the resolver to dispatch', frames, 12]);
}

console.log('     now  at most');
for (const [name, now, atMost] of rows) {
  const mark = now > atMost ? `  ${now - atMost} too many` : '';
  console.log(`${String(now).padStart(8)} ${String(atMost).padStart(8)}  ${name}${mark}`);
}
process.exitCode = rows.some(([, now, atMost]) => now > atMost) ? 1 : 0;
