import { countConditions, countImports, filesIn, linesOf, partOf, readSpine, root, sum } from './lines.ts';
import { walkRequest } from './walk.ts';

/** `npm run house`: how large the gateway is, and how far a request goes through it. `--quick`: without the request. */

const source = filesIn('src');
const core = source.filter((file) => !partOf(file));
const spine = readSpine();
const folders = new Map<string, number>();
for (const file of source) {
  const folder =
    partOf(file) ??
    file
      .split('/')
      .slice(0, 2)
      .join('/')
      .replace(/\/[^/]+\.ts$/, '');
  folders.set(folder, (folders.get(folder) ?? 0) + linesOf(file));
}
const doors = source.filter((file) => /^src\/features\/[^/]+\/index\.ts$/.test(file));

const rows: [name: string, now: number, atMost?: number][] = [
  ['lines of src in all', sum(source), 16_200],
  ['lines of the core', sum(core), 7100],
  ['lines of the spine', sum(spine), 2200],
  ['features with a door', doors.length],
  ['longest door', Math.max(0, ...doors.map(linesOf)), 80],
  [
    'conditions on features in the core',
    countConditions(core.filter((file) => file !== 'src/features.ts')),
    0,
  ],
  ['own imports of gateway.ts', countImports('src/gateway.ts'), 12],
  ['own imports of operation/pipeline.ts', countImports('src/operation/pipeline.ts'), 10],
  ['own imports of http/handler.ts', countImports('src/http/handler.ts'), 9],
  ['longest file', Math.max(...source.map(linesOf)), 400],
  ['lines of tests', sum(filesIn('test')), 35_000],
  ['lines of the README', linesOf('README.md'), 120],
];
if (!process.argv.includes('--quick')) {
  const { files, hops, frames } = await walkRequest();
  rows.push(['own files of a warm request', files, 35], ['hops of it', hops, 131]);
  rows.push(['frames from the resolver to dispatch', frames, 12]);
}

console.log(`${root}\n     now  at most`);
for (const [name, now, atMost = ''] of rows)
  console.log(`${String(now).padStart(8)} ${String(atMost).padStart(8)}  ${name}`);
console.log('\n   lines  folder');
for (const [folder, lines] of [...folders].sort(([, one], [, other]) => other - one))
  console.log(`${String(lines).padStart(8)}  ${folder}`);
