import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { external } from './external.ts';
import { root } from './output.ts';

/** A package that the programs or the page run on. `path` is its key in the lock file, and its folder. */
export interface ShippedPackage {
  path: string;
  name: string;
  version: string;
  /** As package.json declares it: in general an SPDX expression. */
  license: string;
  /** True if a file of it is an input of a bundle. If not, it is installed beside the bundles. */
  isBundled: boolean;
  /** Installed on some platforms only. */
  isOptional: boolean;
  /** Digest of its tarball, by the rules of Subresource Integrity. */
  integrity?: string | undefined;
  /** Paths of the packages that it declares as dependencies, in `node_modules` as it is. */
  dependencies: string[];
}

/** An entry of package-lock.json. */
interface Locked {
  name?: string;
  version: string;
  license?: string;
  integrity?: string;
  optional?: boolean;
  dependencies?: { [name: string]: string };
  optionalDependencies?: { [name: string]: string };
}

/** From a path to the folder of its package: the last one, if several versions are installed. */
const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * The packages with a file in `inputs`, the inputs of all bundles, and the external ones with all that these depend
 * on, sorted by path. Optional dependencies are listed for all platforms, so that a build is the same on each. Throws
 * if the lock file does not have one of them.
 */
export function shippedPackages(inputs: readonly string[]): ShippedPackage[] {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const { packages: locked } = JSON.parse(text) as { packages: { [path: string]: Locked } };
  const bundled = new Set(inputs.flatMap((path) => packageFolder.exec(relative(root, path))?.[0] ?? []));
  const paths = new Set(Object.keys(external).map((name) => `node_modules/${name}`));
  // A set iterates over what is added meanwhile.
  for (const path of paths) for (const found of dependenciesOf(path, locked)) paths.add(found);
  return [...new Set([...bundled, ...paths])].sort().map((path) => {
    const entry = locked[path];
    if (!entry) throw new Error(`package-lock.json has no ${path}: run npm ci`);
    return {
      path,
      name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version,
      license: entry.license ?? 'NOASSERTION',
      isBundled: bundled.has(path),
      isOptional: entry.optional ?? false,
      integrity: entry.integrity,
      dependencies: dependenciesOf(path, locked),
    };
  });
}

function dependenciesOf(path: string, locked: { [path: string]: Locked }): string[] {
  const { dependencies, optionalDependencies } = locked[path] ?? {};
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap(
    (name) => resolvePackage(path, name, locked) ?? [],
  );
}

/** Where Node finds the package `name` from the package at `path`: below it, or below one that contains it. */
function resolvePackage(path: string, name: string, locked: { [path: string]: Locked }): string | undefined {
  const found = join(path, 'node_modules', name);
  if (found in locked || path === '') return found in locked ? found : undefined;
  return resolvePackage(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name, locked);
}
