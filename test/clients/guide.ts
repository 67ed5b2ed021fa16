import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { root, textOf } from '../support/files.ts';

/** The page that all clients share. */
export const sharedPage = textOf('docs/frontend.md');

/** It, then the page of each client: code blocks with a path are files, and `sh` blocks are commands. */
export const page = [
  sharedPage,
  ...['fetch', 'urql', 'apollo', 'relay'].map((client) => textOf(`docs/frontend-${client}.md`)),
].join('\n');

/** The text of a TypeScript file of the page. */
export function codeOf(path: string): string {
  const [, code = ''] = page.split(new RegExp(`\`\`\`tsx? ${path}\n`));
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
  bundles: string;
  remove(): Promise<void>;
}

/** The files of docs/live.md that the page takes from there. */
const ofLivePage = ['sse-client.ts', 'apollo-sse.ts'];

/** The entry point of a browser, for guide-pages.ts. */
const pages = `
import { ApolloProvider } from '@apollo/client/react';
import { Component, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { Provider } from 'urql';
import { createClient as createApollo } from './apollo.ts';
import { SitePage as ApolloPage } from './apollo-page.tsx';
import { createEnvironment } from './relay/environment.ts';
import { liveTransport } from './relay/live.ts';
import { SitePage as RelayPage } from './relay/SitePage.tsx';
import { SitePage as UrqlPage } from './site-page.tsx';
import { createClient as createUrql } from './urql.ts';
import { LiveSite, liveExchange } from './urql-live.tsx';

class Boundary extends Component {
  state = {};
  static getDerivedStateFromError = (error) => ({ error });
  render() {
    const { error } = this.state;
    return error ? <p role="alert">The site could not be loaded: {error.message}</p> : this.props.children;
  }
}

const open = {
  urql(portico) {
    const client = createUrql(portico, { live: liveExchange(portico) });
    const within = (page) => <Provider value={client}>{page}</Provider>;
    return { site: (id) => within(<UrqlPage id={id} />), liveSite: (id) => within(<LiveSite id={id} />) };
  },
  'Apollo Client'(portico) {
    const client = createApollo(portico);
    return { site: (id) => <ApolloProvider client={client}><ApolloPage id={id} /></ApolloProvider> };
  },
  Relay(portico) {
    const environment = createEnvironment(portico, { live: liveTransport(portico) });
    return {
      site: (id) => (
        <RelayEnvironmentProvider environment={environment}>
          <Boundary key={id}><Suspense fallback="Loading the site…"><RelayPage id={id} /></Suspense></Boundary>
        </RelayEnvironmentProvider>
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

export const canInstall = () =>
  run(root, 'npm ping --fetch-retries=0').then(
    () => true,
    () => {
      console.warn('skipped: npm cannot reach its registry');
      return false;
    },
  );

/**
 * Follows the page in an empty folder, from top to bottom, and compiles and bundles its files, and further ones (`copies`,
 * whose first lines have their paths), with the packages that it installs.
 */
export async function followGuide(copies: readonly string[]): Promise<Guide> {
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
    // The page of React by the hook of the other client.
    await writeFurther([
      `// src/apollo-page.tsx\n${codeOf('src/site-page.tsx').replace('urql-site.ts', 'apollo-site.ts')}`,
    ]);
    for (const [, language, path, text = ''] of page.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)) {
      if (language === 'sh') await run(folder, text);
      if (path) await write(path, text);
      if (path && /\.tsx?$/.test(path)) sources.push(path);
    }
    // The code of docs/live.md stands beside that of the page.
    for (const [command] of textOf('docs/live.md').matchAll(/^npm install .+$/gm)) await run(folder, command);
    for (const name of readdirSync(join(root, 'examples/live'))) {
      sources.push(`live/${name}`);
      await write(`live/${name}`, textOf(`examples/live/${name}`));
    }
    await run(folder, 'npx tsc');
    await write('src/relay/fetch-query.ts', "export { fetchQuery } from 'relay-runtime';");
    await write('src/pages.tsx', pages);
    const entries = [...sources, 'src/relay/fetch-query.ts', 'src/pages.tsx'];
    await bundle(
      folder,
      entries.filter((path) => path.startsWith('src/')),
    );
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

async function run(cwd: string, commands: string): Promise<string> {
  const env = { ...process.env, npm_config_audit: 'false', npm_config_fund: 'false' };
  // Compilers print their errors to the standard output, which the error of the process does not have.
  const running = promisify(execFile)('sh', ['-ec', commands], { cwd, env });
  const { stdout } = await running.catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}

/** Bundles for a browser with the page's configuration of Vite: each path becomes a module of the same name below `out`. */
async function bundle(folder: string, paths: string[]): Promise<void> {
  const input = Object.fromEntries(paths.map((path) => [path.replace(/\.tsx?$/, ''), join(folder, path)]));
  const build = {
    outDir: 'out',
    modulePreload: false,
    rolldownOptions: {
      input,
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  };
  const config = `import page from './vite.config.js';\nexport default { ...page, build: ${JSON.stringify(build)} };\n`;
  await writeFile(join(folder, 'vite.test.config.js'), config);
  await run(folder, 'npx vite build --logLevel error --config vite.test.config.js');
}
