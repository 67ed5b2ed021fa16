import { readFileSync } from 'node:fs';
import { build, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { type OutputFile, root } from './output.ts';

/** Each becomes the file of the same path below the folder of the output. */
const programs = ['src/main.ts', 'src/reference/main.ts', 'src/reference/keys/cli.ts'];

/**
 * The packages that stay outside: native code, and what a program loads only where a setting or a terminal needs it. The
 * others are bundled, so they are development dependencies, and an installation of the package does not contain them.
 */
const external = Object.keys(manifest.dependencies);

/** Packages in CommonJS call `require` for the modules of Node. */
const requireForPackages =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";

/** Gives each file of a package a source map of one entry, so that the maps of the bundle are a sixth as large. */
const shortMapsOfPackages: Plugin = {
  name: 'short maps of packages',
  setup({ onLoad }) {
    const map = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');
    const comment = `//# sourceMappingURL=data:application/json;base64,${map}`;
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n${comment}`,
    }));
  },
};

/** Bundles the programs of `src/` with their packages. */
export async function bundlePrograms(folder: string): Promise<{ inputs: string[]; files: OutputFile[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs,
    outbase: 'src',
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // graphql has CommonJS in `main`: of that, every use of a name would be the call of a getter.
    mainFields: ['module', 'main'],
    external,
    // graphql then compares classes without a search for a second copy of itself, of which a bundle has none.
    define: { 'globalThis.process.env.NODE_ENV': '"production"' },
    plugins: [shortMapsOfPackages],
    banner: { js: requireForPackages },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    write: false,
  });
  return { inputs: Object.keys(metafile.inputs), files: outputFiles };
}
