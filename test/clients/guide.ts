import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');

/** docs/frontend.md: its code blocks with a path are files, and its `sh` blocks are commands. */
export const page = textOf('docs/frontend.md');

export interface Guide {
  /** The module of a file of the page, bundled. */
  load<Module>(path: string): Promise<Module>;
  textOf(path: string): string;
  /** The paths of the TypeScript files of the page, and of docs/live.md. */
  sources: string[];
  remove(): Promise<void>;
}

/** Whether packages can be installed here. */
export const canInstall = () =>
  run(root, 'npm ping --fetch-retries=0').then(
    () => true,
    () => {
      console.warn('skipped: npm cannot reach its registry');
      return false;
    },
  );

/**
 * Follows the page in an empty folder, from top to bottom, and compiles and bundles its files with the
 * packages that it installs. `copies` are further files of the project, whose first lines have their paths.
 */
export async function followGuide(copies: readonly string[] = []): Promise<Guide> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-guide-'));
  const remove = () => rm(folder, { recursive: true });
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const sources: string[] = [];
  try {
    await write('schema.graphql', textOf('schema.graphql'));
    for (const text of copies) {
      const [, path = ''] = /^\/\/ (\S+)/.exec(text) ?? [];
      await write(path, text);
      sources.push(path);
    }
    for (const [, language, path, text = ''] of page.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)) {
      if (language === 'sh') await run(folder, text);
      if (path) await write(path, text);
      if (path?.endsWith('.ts')) sources.push(path);
    }
    await run(folder, 'npx tsc');
    // The code of docs/live.md, a project of its own: the default options that src/apollo.ts declares hold
    // for a project.
    for (const [command] of textOf('docs/live.md').matchAll(/^npm install .+$/gm)) await run(folder, command);
    for (const name of readdirSync(join(root, 'examples/live'))) {
      sources.push(`live/${name}`);
      await write(`live/${name}`, textOf(`examples/live/${name}`));
    }
    await write('live/tsconfig.json', '{ "extends": "../tsconfig.json" }');
    await run(folder, 'npx tsc -p live');
    await write('src/relay/fetch-query.ts', "export { fetchQuery } from 'relay-runtime';");
    await bundle(folder, [...sources, 'src/relay/fetch-query.ts']);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    load: (path) => import(pathToFileURL(join(folder, 'out', path.replace(/\.ts$/, '.js'))).href),
    textOf: (path) => readFileSync(join(folder, path), 'utf8'),
    sources,
    remove,
  };
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

async function run(cwd: string, commands: string): Promise<void> {
  const env = { ...process.env, npm_config_audit: 'false', npm_config_fund: 'false' };
  // Compilers print their errors to the standard output, which the error of the process does not have.
  await promisify(execFile)('sh', ['-ec', commands], { cwd, env }).catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
}

/** Bundles for a browser, as the build of a frontend does, with all packages. */
async function bundle(folder: string, paths: string[]): Promise<void> {
  const relay: Plugin = {
    name: 'relay',
    setup({ onLoad }) {
      const { transformFileSync } = createRequire(join(folder, 'package.json'))('@babel/core');
      const options = {
        cwd: folder,
        plugins: [['relay', { eagerEsModules: true }]],
        parserOpts: { plugins: ['typescript'] },
      };
      onLoad({ filter: /\/src\/relay\/\w+\.ts$/ }, ({ path }) => ({
        contents: transformFileSync(path, options).code,
        loader: 'ts',
      }));
    },
  };
  await build({
    absWorkingDir: folder,
    entryPoints: paths.filter((path) => path.startsWith('src/')),
    outdir: 'out',
    outbase: '.',
    bundle: true,
    splitting: true,
    format: 'esm',
    plugins: [relay],
    logLevel: 'silent',
  });
}
