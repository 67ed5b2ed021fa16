import manifest from '../package.json' with { type: 'json' };
import { external } from './external.ts';

/**
 * Prints the package.json of the package and of the image: the dependencies are those outside of the bundles,
 * so that npm installs nothing that no program loads. What only a clone needs is left out.
 */
const { scripts, workspaces, devDependencies, overrides, allowScripts, ...kept } = manifest;
const dependencies = Object.fromEntries(
  Object.entries(manifest.dependencies).filter(([name]) => name in external),
);
console.log(JSON.stringify({ ...kept, dependencies }, undefined, 2));
