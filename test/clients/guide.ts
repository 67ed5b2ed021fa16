import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** The page whose code blocks with a path are the files of a project: docs/frontend.md. */
export const page = readFileSync(join(root, 'docs/frontend.md'), 'utf8');

/** Text by path of each code block that has a path after its language. */
function filesOf(text: string): Map<string, string> {
  const blocks = text.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, path = '', content = '']) => [path, content]));
}

/** Does what babel-plugin-relay does in the build of a frontend: a tagged document becomes what the compiler generated for it. */
const relayDocuments: Plugin = {
  name: 'relay documents',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/relay\/\w+\.ts$/ }, ({ path }) => {
      const imports: string[] = [];
      const tagged = /graphql`\s*(?:query|fragment) (\w+)[^`]*`/g;
      const text = readFileSync(path, 'utf8').replace(tagged, (_, name: string) => {
        imports.push(`import ${name} from './__generated__/${name}.graphql.ts';`);
        return name;
      });
      return { contents: [...imports, text].join('\n'), loader: 'ts' };
    });
  },
};

export interface Guide {
  /** The module of a file of the page, compiled. */
  load<Module>(path: string): Promise<Module>;
  textOf(path: string): string;
  remove(): Promise<void>;
}

/** Writes the files of the page into an empty folder, and generates, type-checks and compiles them by the tools that it names. */
export async function buildGuide(): Promise<Guide> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-guide-'));
  const remove = () => rm(folder, { recursive: true });
  try {
    await buildIn(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    load: (path) => import(pathToFileURL(join(folder, 'out', path.replace(/\.ts$/, '.js'))).href),
    textOf: (path) => readFileSync(join(folder, path), 'utf8'),
    remove,
  };
}

async function buildIn(folder: string): Promise<void> {
  const files = filesOf(page);
  const tsconfig = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
    include: ['src'],
  };
  files.set('package.json', '{ "type": "module" }');
  files.set('tsconfig.json', JSON.stringify(tsconfig));
  files.set('schema.graphql', readFileSync(join(root, 'schema.graphql'), 'utf8'));
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  // Their messages are in the output, which the error of the process does not show.
  const bin = (name: string) =>
    run(join(root, 'node_modules/.bin', name), { cwd: folder }).catch(({ message, stdout, stderr }) => {
      throw new Error(`${message}\n${stdout}${stderr}`);
    });
  await Promise.all([bin('graphql-codegen'), bin('relay-compiler')]);
  await Promise.all([
    bin('tsc'),
    build({
      absWorkingDir: folder,
      entryPoints: [...files.keys()].filter((path) => path.startsWith('src/')),
      outdir: 'out',
      outbase: '.',
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      plugins: [relayDocuments],
      logLevel: 'silent',
    }),
  ]);
}
