import './build/node-version.ts';
import { join, resolve } from 'node:path';
import { buildIfChanged } from './build/freshness.ts';
import { deleteOthers, type OutputFile, writeOutput } from './build/output.ts';
import { bundlePage } from './build/page.ts';
import { bundlePrograms } from './build/programs.ts';

/**
 * `npm run build`: bundles the programs of `src/`, and the page of `graphiql/`, each only if something
 * changed since the last time. Takes the folder to write to; default: `dist`.
 */
const folder = resolve(process.argv[2] ?? 'dist');

type Bundle = (folder: string) => Promise<{ inputs: string[]; files: OutputFile[] }>;

async function write(name: string, bundle: Bundle, folder: string): Promise<string[]> {
  return buildIfChanged(name, folder, async () => {
    const { inputs, files } = await bundle(folder);
    writeOutput(files);
    return { inputs, outputs: files.map(({ path }) => path) };
  });
}

const outputs = await Promise.all([
  write('programs', bundlePrograms, folder),
  write('page', bundlePage, join(folder, 'graphiql')),
]);
deleteOthers(folder, outputs.flat());
