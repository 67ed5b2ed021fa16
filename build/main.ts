import './node-version.ts';
import { join, resolve } from 'node:path';
import { writeIfChanged } from './freshness.ts';
import { noticesOf } from './notices.ts';
import { deleteOthers, type OutputFile, writeOutput } from './output.ts';
import { shippedPackages } from './packages.ts';
import { bundlePage } from './page.ts';
import { bundlePrograms } from './programs.ts';
import { sbomOf } from './sbom.ts';

/**
 * `npm run build`: bundles the programs of `src/`, and the page of `graphiql/`, each only if something
 * changed since the last time, and lists the packages in them. Takes the folder to write to; default: `dist`.
 */
const folder = resolve(process.argv[2] ?? 'dist');

const bundles = await Promise.all([
  writeIfChanged('programs', folder, bundlePrograms),
  writeIfChanged('page', join(folder, 'graphiql'), bundlePage),
]);
const packages = shippedPackages(bundles.flatMap(({ inputs }) => inputs));
const lists: OutputFile[] = [
  { path: join(folder, 'sbom.cdx.json'), contents: Buffer.from(sbomOf(packages)) },
  { path: join(folder, 'THIRD-PARTY-NOTICES'), contents: Buffer.from(noticesOf(packages)) },
];
writeOutput(lists);
deleteOthers(folder, [...bundles.flatMap(({ outputs }) => outputs), ...lists.map(({ path }) => path)]);
