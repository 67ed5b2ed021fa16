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

/** The text of a file of the page. */
export function codeOf(path: string): string {
  const [, code = ''] = page.split(`\`\`\`ts ${path}\n`);
  return code.split('```')[0] ?? '';
}

export interface Guide {
  /** The module of a file of the page, bundled. */
  load<Module>(path: string): Promise<Module>;
  textOf(path: string): string;
  /** Runs a command of the page again, and returns what it prints. */
  run(command: string): Promise<string>;
  /** The paths of the TypeScript files of the page, and of docs/live.md. */
  sources: string[];
  /** The folder of the bundled modules. */
  bundles: string;
  remove(): Promise<void>;
}

/** The files of docs/live.md that the page takes from there. */
const ofLivePage = ['sse-client.ts', 'apollo-sse.ts'];

/** The entry point of a browser, for guide-pages.ts. */
const pages = `
import { ApolloProvider } from '@apollo/client/react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { Provider } from 'urql';
import { createClient as createApollo } from './apollo.ts';
import { LiveSite as ApolloLiveSite } from './apollo-live.tsx';
import { SitePage as ApolloPage } from './apollo-page.tsx';
import { createSseLink } from './apollo-sse.ts';
import { createEnvironment } from './relay/environment.ts';
import { LiveSite as RelayLiveSite, liveTransport } from './relay/LiveSite.tsx';
import { SitePage as RelayPage } from './relay/SitePage.tsx';
import { createClient as createUrql } from './urql.ts';
import { LiveSite as UrqlLiveSite, liveExchange } from './urql-live.tsx';
import { SitePage as UrqlPage } from './urql-page.tsx';

const open = {
  urql(portico) {
    const client = createUrql(portico, { live: liveExchange(portico) });
    return {
      site: (id) => <UrqlPage client={client} id={id} />,
      liveSite: (id) => <Provider value={client}><UrqlLiveSite id={id} /></Provider>,
    };
  },
  'Apollo Client'(portico) {
    const client = createApollo(portico, { live: createSseLink(portico.url, portico.apiKey) });
    return {
      site: (id) => <ApolloPage client={client} id={id} />,
      liveSite: (id) => <ApolloProvider client={client}><ApolloLiveSite id={id} /></ApolloProvider>,
    };
  },
  Relay(portico) {
    const environment = createEnvironment(portico, { live: liveTransport(portico) });
    return {
      site: (id) => <RelayPage environment={environment} id={id} />,
      liveSite: (id) => (
        <RelayEnvironmentProvider environment={environment}><RelayLiveSite id={id} /></RelayEnvironmentProvider>
      ),
    };
  },
};

/**
 * Returns a function that shows a page, in place of the one before, with the same client, or without an id none.
 * With isSame it gives the page before the id.
 */
window.openPages = (name, portico) => {
  const pages = open[name](portico);
  let root;
  return (page, id, isSame) => {
    if (!isSame) {
      root?.unmount();
      if (id === undefined) return;
      root = createRoot(document.querySelector('main'));
    }
    root.render(pages[page](id));
  };
};
`;

/** Whether packages can be installed here. */
export const canInstall = () =>
  run(root, 'npm ping --fetch-retries=0').then(
    () => true,
    () => {
      console.warn('skipped: npm cannot reach its registry');
      return false;
    },
  );

/** Files of the project, whose first lines have their paths. */
interface FurtherFiles {
  copies?: readonly string[];
  /** Files with live queries, which are compiled after the page has the schema of those. */
  liveCopies?: readonly string[];
}

/**
 * Follows the page in an empty folder, from top to bottom, and compiles and bundles its files, and further ones,
 * with the packages that it installs.
 */
export async function followGuide({ copies = [], liveCopies = [] }: FurtherFiles = {}): Promise<Guide> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-guide-'));
  const remove = () => rm(folder, { recursive: true });
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const sources: string[] = [];
  try {
    await write('schema.graphql', textOf('schema.graphql'));
    await run(root, `npm run package -- --pack-destination '${folder}'`);
    const writeFurther = async (texts: readonly string[]) => {
      for (const text of texts) {
        const [, path = ''] = /^\/\/ (\S+)/.exec(text) ?? [];
        await write(path, text);
        sources.push(path);
      }
    };
    await writeFurther(copies);
    for (const name of ofLivePage) {
      await write(`src/${name}`, textOf(`examples/live/${name}`));
      sources.push(`src/${name}`);
    }
    for (const [, language, path, text = ''] of page.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)) {
      if (language === 'sh') await run(folder, text);
      if (path) await write(path, text);
      if (path && /\.tsx?$/.test(path)) sources.push(path);
    }
    if (liveCopies.length > 0) {
      await writeFurther(liveCopies);
      await run(folder, 'npx graphql-codegen --config codegen.costs.ts && npx relay-compiler');
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
    await write('src/pages.tsx', pages);
    await bundle(folder, [...sources, 'src/relay/fetch-query.ts', 'src/pages.tsx']);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    load: (path) => import(pathToFileURL(join(folder, 'out', path.replace(/\.tsx?$/, '.js'))).href),
    textOf: (path) => readFileSync(join(folder, path), 'utf8'),
    run: (command) => run(folder, command),
    sources,
    bundles: join(folder, 'out'),
    remove,
  };
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

async function run(cwd: string, commands: string): Promise<string> {
  const env = { ...process.env, npm_config_audit: 'false', npm_config_fund: 'false' };
  // Compilers print their errors to the standard output, which the error of the process does not have.
  const running = promisify(execFile)('sh', ['-ec', commands], { cwd, env });
  const { stdout } = await running.catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}

/** Bundles for a browser, as the build of a frontend does, with all packages. */
async function bundle(folder: string, paths: string[]): Promise<void> {
  const relay: Plugin = {
    name: 'relay',
    setup({ onLoad }) {
      const { transformFileSync } = createRequire(join(folder, 'package.json'))('@babel/core');
      onLoad({ filter: /\/src\/relay\/(operations\/)?\w+\.tsx?$/ }, ({ path }) => {
        const isReact = path.endsWith('x');
        const options = {
          cwd: folder,
          plugins: [['relay', { eagerEsModules: true }]],
          parserOpts: { plugins: ['typescript', ...(isReact ? ['jsx'] : [])] },
        };
        return { contents: transformFileSync(path, options).code, loader: isReact ? 'tsx' : 'ts' };
      });
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
