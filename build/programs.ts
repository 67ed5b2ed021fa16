import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { external } from './external.ts';
import { checkVersion, required } from './node-version.ts';
import { type OutputFile, root } from './output.ts';

/** The source of each program, by its path below the folder of the output, without `.js`. */
const programs = {
  main: './src/main.ts',
  'reference/main': './reference/main.ts',
  'reference/keys/cli': './reference/keys/cli.ts',
};

/** The source of each module that other programs import, with its types in this folder; a part may be struck. */
const modules = Object.fromEntries(
  Object.entries({ 'codegen-cost': './src/programs/plan/codegen-cost.ts' }).filter(([, path]) =>
    existsSync(join(root, path)),
  ),
);

/**
 * Imports each program dynamically, after the check of the version. An older Node.js links all static imports
 * first, and fails at what it does not have.
 */
const checkedPrograms: Plugin = {
  name: 'checked programs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'entry-point' && !Object.values(modules).includes(path)
        ? { path, namespace: 'checked' }
        : undefined,
    );
    onLoad({ filter: /^/, namespace: 'checked' }, ({ path }) => ({
      contents: `#!${interpreter}\n${checkVersion}\ncheckVersion('${required}');\nawait import('${path}');`,
      resolveDir: root,
    }));
  },
};

/** Every start of a program has the young space of `npm start`, however it is started. */
const interpreter = `/usr/bin/env -S ${manifest.scripts.start.replace(' dist/main.js', '')}`;

/** Packages in CommonJS call `require` for the modules of Node. */
const requireForPackages =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";

/** Gives each file of a package a source map of one entry, so that the bundle's maps are a sixth as large. */
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
    entryPoints: { ...programs, ...modules },
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Every supported Node has them: without it a literal becomes a `new RegExp` at each evaluation.
    supported: { 'regexp-unicode-property-escapes': true },
    // graphql has CommonJS in `main`: of that, every use of a name would be the call of a getter.
    mainFields: ['module', 'main'],
    external: Object.keys(external),
    alias: { '@modelcontextprotocol/server/_shims': './build/mcp-shims.ts' },
    // graphql then compares classes without a search for a second copy of itself, of which a bundle has none.
    define: { 'globalThis.process.env.NODE_ENV': '"production"' },
    plugins: [checkedPrograms, shortMapsOfPackages],
    banner: { js: requireForPackages },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    write: false,
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.startsWith('checked:'));
  const types = Object.keys(modules).map((name) => ({
    path: join(folder, `${name}.d.ts`),
    contents: readFileSync(join(import.meta.dirname, `${name}.d.ts`)),
  }));
  return { inputs, files: [...outputFiles, ...types] };
}
