import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** `npm run build`: bundles the programs of `src/` with their packages. Takes the folder to write to; default: `dist`. */
const folder = resolve(process.argv[2] ?? 'dist');

/** Each becomes the file of the same path below `folder`. */
const programs = ['src/main.ts', 'src/reference/main.ts', 'src/reference/keys/cli.ts'];

/** Stay in node_modules: native code, and packages that a program loads only where a setting or a terminal needs them. */
const external = [
  '@graphql-yoga/render-graphiql',
  '@opentelemetry/*',
  'cli-progress',
  'ioredis',
  'libsql',
  'pg',
  'pino-pretty',
];

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

const { outputFiles } = await build({
  absWorkingDir: import.meta.dirname,
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
  logLevel: 'warning',
  write: false,
});

// Only what changed is written, because a program of the folder may be starting at this moment.
for (const { path, contents } of outputFiles) {
  if (existsSync(path) && readFileSync(path).equals(contents)) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents, { mode: path.endsWith('.js') ? 0o755 : 0o644 });
}
const written = new Set(outputFiles.map(({ path }) => path));
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !written.has(path)) rmSync(path);
}
