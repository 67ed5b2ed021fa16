import './build/node-version.ts';
import { join, resolve } from 'node:path';
import { buildIfChanged } from './build/freshness.ts';
import { noticesOf } from './build/notices.ts';
import { deleteOthers, type OutputFile, writeOutput } from './build/output.ts';
import { shippedPackages } from './build/packages.ts';
import { bundlePage } from './build/page.ts';
import { bundlePrograms } from './build/programs.ts';
import { sbomOf } from './build/sbom.ts';

/**
 * `npm run build`: bundles the programs of `src/`, and the page of `graphiql/`, each only if something
 * changed since the last time, and lists the packages in them. Takes the folder to write to; default: `dist`.
 */
const folder = resolve(process.argv[2] ?? 'dist');

type Bundle = (folder: string) => Promise<{ inputs: string[]; files: OutputFile[] }>;

async function write(name: string, bundle: Bundle, folder: string) {
  return buildIfChanged(name, folder, async () => {
    const { inputs, files } = await bundle(folder);
    writeOutput(files);
    return { inputs, outputs: files.map(({ path }) => path) };
  });
}

const bundles = await Promise.all([
  write('programs', bundlePrograms, folder),
  write('page', bundlePage, join(folder, 'graphiql')),
]);
const packages = shippedPackages(bundles.flatMap(({ inputs }) => inputs));
const lists: OutputFile[] = [
  { path: join(folder, 'sbom.cdx.json'), contents: Buffer.from(sbomOf(packages)) },
  { path: join(folder, 'THIRD-PARTY-NOTICES'), contents: Buffer.from(noticesOf(packages)) },
];
writeOutput(lists);
deleteOthers(folder, [...bundles.flatMap(({ outputs }) => outputs), ...lists.map(({ path }) => path)]);
