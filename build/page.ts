import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { PageManifest } from '../src/features/graphiql/page.ts';
import { type OutputFile, root } from './output.ts';

/** By the names of their files in the output. */
const entryPoints = {
  page: 'graphiql/page.tsx',
  style: 'graphiql/style/index.css',
  logo: 'graphiql/logo.svg',
  'editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
  'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
  'json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
};

/** The editor comes as a module of its own when the page has started; the page's HTML announces it before. */
const editorModules = ['monaco-graphql/esm/monaco-editor.js', 'monaco-graphql/esm/lite.js'];

/** Fonts in a style sheet as data delay the first paint; as files a browser loads those that it needs. */
const fontsAsFiles: Plugin = {
  name: 'fonts as files',
  setup({ onLoad, onResolve }) {
    const fonts = new Map<string, Buffer>();
    onLoad({ filter: /\/font\/[\w-]+\.css$/ }, ({ path }) => {
      const family = basename(path, '.css');
      const replace = (_: string, type: string, data: string) => {
        const name = `font:${family}-${fonts.size}.${type}`;
        fonts.set(name, Buffer.from(data, 'base64'));
        return `url("${name}")`;
      };
      const css = readFileSync(path, 'utf8').replace(/url\(data:font\/(\w+);base64,([^)]+)\)/g, replace);
      return { contents: css, loader: 'css' };
    });
    onResolve({ filter: /^font:/ }, ({ path }) => ({ path, namespace: 'font' }));
    onLoad({ filter: /./, namespace: 'font' }, ({ path }) => ({
      contents: fonts.get(path) ?? '',
      loader: 'file',
    }));
  },
};

/** The editor's modules import their style sheets one by one; `style/index.css` imports all of them. */
const noStyleOfModules: Plugin = {
  name: 'no style of modules',
  setup({ onLoad }) {
    onLoad({ filter: /\/monaco-editor\/esm\/.*\.css$/ }, () => ({ contents: '', loader: 'empty' }));
  },
};

/** The explorer is CommonJS: its `require('graphql')` gets the modules that the page has, and no second copy. */
const oneGraphql: Plugin = {
  name: 'one graphql',
  setup({ onResolve }) {
    onResolve({ filter: /^graphql$/ }, ({ kind }) =>
      kind === 'require-call' ? { path: join(root, 'node_modules/graphql/index.mjs') } : undefined,
    );
  },
};

/**
 * Bundles the page of GraphiQL: scripts, style, fonts, and `manifest.json` with their names. Every name has a
 * hash of the content. What compresses is written compressed only: nearly all clients request it so.
 */
export async function bundlePage(folder: string): Promise<{ inputs: string[]; files: OutputFile[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    tsconfig: 'graphiql/tsconfig.json',
    // GraphiQL formats with these names of its plugins, which are CommonJS: as modules of a page they have no named exports.
    alias: {
      'prettier/parser-babel': 'prettier/plugins/babel',
      'prettier/parser-graphql': 'prettier/plugins/graphql',
    },
    loader: { '.md': 'text', '.svg': 'copy', '.ttf': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [fontsAsFiles, oneGraphql, noStyleOfModules],
    metafile: true,
    logLevel: 'warning',
    write: false,
  });
  const files = outputFiles.map(({ path, contents }) =>
    isCompressible(path)
      ? { path: `${path}.gz`, contents: gzipSync(contents, { level: 9 }) }
      : { path, contents },
  );
  const manifest = JSON.stringify(manifestFrom(metafile));
  files.push({ path: join(folder, 'manifest.json'), contents: Buffer.from(manifest) });
  const inputs = Object.keys(metafile.inputs).filter((path) => !/^font:/.test(path));
  return { inputs: [...inputs, 'graphiql/tsconfig.json'], files };
}

function isCompressible(path: string): boolean {
  return /\.(js|css|svg)$/.test(path);
}

function manifestFrom({ outputs }: Metafile): PageManifest {
  const entries = Object.entries(outputs);
  const nameOf = (entryPoint: string) => {
    const found = entries.find(([, output]) => output.entryPoint?.endsWith(entryPoint));
    if (!found) throw new Error(`The bundle of the page has no ${entryPoint}`);
    return basename(found[0]);
  };
  const staticImportsOf = (path: string): string[] =>
    outputs[path]?.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path) ?? [];
  const closureOf = (names: string[]): string[] => {
    const paths = new Set(names.map((name) => entries.find(([path]) => basename(path) === name)?.[0] ?? ''));
    // A set iterates over what is added meanwhile.
    for (const path of paths) for (const imported of staticImportsOf(path)) paths.add(imported);
    return [...paths].map((path) => basename(path));
  };
  const script = nameOf(entryPoints.page);
  return {
    script,
    preload: closureOf([script, ...editorModules.map(nameOf)]).filter((name) => name !== script),
    style: nameOf(entryPoints.style),
    logo: entries.map(([path]) => basename(path)).find((name) => name.startsWith('logo-')) ?? '',
    workers: {
      editor: nameOf(entryPoints['editor.worker']),
      graphql: nameOf(entryPoints['graphql.worker']),
      json: nameOf(entryPoints['json.worker']),
    },
    files: entries.map(([path]) => basename(path)),
  };
}
