import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, linesOf, partOf, readSpine, root, sum, words } from './lines.ts';
import { walkRequest } from './walk.ts';

/**
 * `npm run house`: how large the project is, and how far a request goes through it; fails above a figure. `--quick`: without
 * the request. A figure is raised only by a decision in docs/decisions/ that names what was removed in exchange.
 */

const source = filesIn('src');
const core = source.filter((file) => !partOf(file));
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const lockFiles = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: root, encoding: 'utf8' });
const manifests = execFileSync('git', ['ls-files', '*package.json'], { cwd: root, encoding: 'utf8' });
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
const listOf = (text: string) => text.split('\n').filter((file) => file !== '');
const dependencies = listOf(manifests).flatMap((file) => {
  const { dependencies = {}, devDependencies = {} } = readJson(file);
  return Object.keys({ ...dependencies, ...devDependencies });
});
const locked = listOf(lockFiles).map((file) => Object.keys(readJson(file).packages).length - 1);

const rows: [name: string, now: number, atMost: number][] = [
  ['lines of src in all', sum(source), 14_200],
  ['lines of the core', sum(core), 7300],
  ['lines of features and programs', sum(source) - sum(core), 6900],
  ['lines of the spine', sum(readSpine()), 2200],
  ['lines of graphiql/', sum(filesIn('graphiql', /\.(tsx?|css)$/)), 3600],
  ['lines of reference/', sum(filesIn('reference', /\.(ts|md)$/)), 4600],
  ['lines of bench/', sum(filesIn('bench')), 2500],
  ['lines of examples/', sum(filesIn('examples', /\.(tsx?|css|html|graphql)$/)), 5500],
  ['lines of build/ and deploy/', sum([...filesIn('build'), ...filesIn('deploy', /./)]), 1900],
  ['lines of tests', sum(filesIn('test')), 28_000],
  ['words of docs/ and README', words(), 28_000],
  ['lines of the README', linesOf('README.md'), 120],
  ['entries at the top', new Set(listOf(tracked).map((file) => file.split('/')[0])).size, 24],
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
