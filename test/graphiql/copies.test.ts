import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import {
  type CopiedRequest,
  curlFrom,
  maxCallsFrom,
  moduleFrom,
  variablesFrom,
} from '../../graphiql/copy/request.ts';
import { typedFrom } from '../../graphiql/copy/typed.ts';
import { exampleTabs } from '../../graphiql/examples.ts';
import { containsKey } from '../../graphiql/operation/secret.ts';
import { sendJson, startUpstream } from '../support/upstream.ts';

const execute = promisify(execFile);
const key = 'a key\'s "canary" $HOME `id` \\';
const env = { PATH: process.env.PATH ?? '', PORTICO_API_KEY: key };

/** Runs a text as a person would, in a new folder. */
const runs = {
  curl: async (request: CopiedRequest) =>
    (await execute('sh', ['-c', `${curlFrom(request)} -s`], { env })).stdout,
  node: async (request: CopiedRequest) => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-copy-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'operation.mjs'), moduleFrom(request));
    return (await execute(process.execPath, ['operation.mjs'], { cwd: folder, env })).stdout;
  },
};

const awkward = [
  `\${PATH}`,
  "it's \"quoted\" $HOME $(id) `id` \\ \\n !! %s <a> & | ; # é ☃ 😀 '\\'' '''",
  'two\nlines\\\nand a tab\t',
].join('\n');

it.each(['curl', 'node'] as const)(
  'sends any text unchanged, with the key of the environment: %s',
  async (name) => {
    const bodies: unknown[] = [];
    const { url, requests } = await startUpstream(async (req, res) => {
      bodies.push(JSON.parse(await text(req)));
      sendJson(res, { data: { name: awkward } });
    });
    const params = { query: awkward, variables: { [awkward]: [awkward] }, operationName: 'Site' };
    const printed = await runs[name]({ url: `${url}/it's/graphql`, ...params, isLive: false });
    expect(bodies).toEqual([params]);
    expect(requests).toMatchObject([
      { path: "/it's/graphql", apiKey: key, headers: { 'content-type': 'application/json' } },
    ]);
    expect(JSON.parse(printed)).toEqual({ data: { name: awkward } });
  },
);

it.each(['curl', 'node'] as const)('sends x-max-calls of the headers editor: %s', async (name) => {
  const { url, requests } = await startUpstream((_, res) => sendJson(res, {}));
  for (const value of ['3', 3, "3' -d x", undefined]) {
    const maxCalls = maxCallsFrom({ 'X-Max-Calls': value, 'x-api-key': key });
    await runs[name]({ url, query: '{ a }', isLive: false, maxCalls });
  }
  expect(requests.map(({ headers }) => headers['x-max-calls'])).toEqual(['3', '3', undefined, undefined]);
});

it.each(['curl', 'node'] as const)('sends every variable, whatever its name: %s', async (name) => {
  const bodies: string[] = [];
  const { url } = await startUpstream(async (req, res) => {
    bodies.push(await text(req));
    sendJson(res, {});
  });
  const written = '{"__proto__":{"__proto__":["\\"__proto__\\":"]},"constructor":1,"toString":null}';
  const variables = variablesFrom(written, () => undefined);
  await runs[name]({ url, query: '{ a }', variables, isLive: false });
  expect(bodies).toEqual([`{"query":"{ a }","variables":${written}}`]);
});

it.each(['', '// none', '[1]', 'null'])(
  'leaves variables that are no JSON object to GraphiQL: %j',
  (written) => {
    const variables = {};
    expect(variablesFrom(written, (text) => (text === written ? variables : undefined))).toBe(variables);
  },
);

it.each(['curl', 'node'] as const)('prints the events of a live query: %s', async (name) => {
  const { url, requests } = await startUpstream((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end('event: next\ndata: {}\n\n');
  });
  const printed = await runs[name]({ url, query: 'subscription { live { a } }', isLive: true });
  expect(printed).toBe('event: next\ndata: {}\n\n');
  expect(requests[0]?.headers.accept).toBe('text/event-stream');
});

it('names a typed operation that has no name, and keeps a name that ends in Query', () => {
  expect(typedFrom('fetch', parse('{ health { reachable } }'))).toMatchInlineSnapshot(`
    "// src/operations/operation.ts in the project of docs/frontend.md. Generate its types: npx graphql-codegen
    import type { VariablesOf } from '@graphql-typed-document-node/core';
    import { graphql } from '../generated/gql.ts';
    import { type Portico, request } from '../portico.ts';

    export const operationQuery = graphql(\`
      query Operation {
        health {
          reachable
        }
      }
    \`);

    export function loadOperation(portico: Portico, variables: VariablesOf<typeof operationQuery>) {
      return request(portico, operationQuery, variables);
    }
    "
  `);
  const named = typedFrom('urql', parse('query siteQuery { health { reachable } }'));
  expect(named).toContain('export const siteQuery = graphql(`\n  query siteQuery {');
  expect(named).toContain(
    'export function loadSite(client: Client, variables: VariablesOf<typeof siteQuery>)',
  );
});

it('watches a live query where it loads a query, under a name of its own', () => {
  const document = parse(
    'subscription Roof { live { site(id: 1) { ...Card } } } fragment Card on Site { id }',
  );
  expect(typedFrom('urql', document)).toMatchInlineSnapshot(`
    "// src/operations/roof.ts in the project of docs/frontend.md#live-queries. Generate its types: npx graphql-codegen
    import type { VariablesOf } from '@graphql-typed-document-node/core';
    import type { Client } from '@urql/core';
    import { graphql } from '../generated/gql.ts';

    export const roofSubscription = graphql(\`
      subscription Roof {
        live {
          site(id: 1) {
            ...Card
          }
        }
      }

      fragment Card on Site {
        id
      }
    \`);

    export function watchRoof(client: Client, variables: VariablesOf<typeof roofSubscription>) {
      return client.subscription(roofSubscription, variables);
    }
    "
  `);
  expect(typedFrom('Relay', document)).toMatchInlineSnapshot(`
    "// src/relay/operations/Roof.ts in the project of docs/frontend.md#live-queries. Generate its types: npx relay-compiler
    import { type Environment, type GraphQLSubscriptionConfig, graphql, requestSubscription } from 'relay-runtime';
    import type { RoofSubscription } from './__generated__/RoofSubscription.graphql.ts';

    export const roofSubscription = graphql\`
      subscription RoofSubscription {
        live {
          site(id: 1) {
            ...Roof_Card
          }
        }
      }
    \`;

    graphql\`
      fragment Roof_Card on Site {
        id
      }
    \`;

    type WatchRoofConfig = Omit<GraphQLSubscriptionConfig<RoofSubscription>, 'subscription'>;

    export function watchRoof(environment: Environment, config: WatchRoofConfig) {
      return requestSubscription<RoofSubscription>(environment, { ...config, subscription: roofSubscription });
    }
    "
  `);
  const unnamed = typedFrom('fetch', parse('subscription { live { site(id: 1) { id } } }'));
  expect(unnamed).toContain('export const operationSubscription = graphql(`\n  subscription Operation {');
  expect(typedFrom('graphql-request', document)).toBe(typedFrom('fetch', document));
});

it('names no file and no operation of docs/frontend.md for an example of the page', () => {
  const guide = readFileSync('docs/frontend.md', 'utf8');
  const files = [...guide.matchAll(/^```tsx? (src\/\S+)$/gm)].map(([, path = '']) => path.toLowerCase());
  const named = [...guide.matchAll(/\b(?:query|subscription) (\w+)/g)].map(([, name]) => name);
  const example = { siteId: '', conversationId: '', apiKey: '' };
  const examples = exampleTabs({ example, hasLive: true }).map(({ query }) => query);
  const names = examples.map((query) => /^(?:query|subscription) (\w+)/m.exec(query)?.[1]);
  expect(files).toContain('src/live.ts');
  expect(named.filter((name) => names.includes(name))).toEqual([]);
  const others = ['Portico', 'Errors', 'Live', 'SiteCard'].map((name) => `query ${name} { health { body } }`);
  const copied = ['fetch', 'Relay'] as const;
  const copies = others.flatMap((query) => copied.map((client) => typedFrom(client, parse(query))));
  const paths = copies.map((text) => /^\/\/ (\S+)/.exec(text)?.[1]?.toLowerCase());
  expect(files.filter((path) => paths.includes(path))).toEqual([]);
});

it.each([
  'query Fetch { health { body } }',
  'subscription Request { live { health { body } } }',
  'subscription GraphQL { live { health { body } } }',
])('declares no name that a Relay module imports: %s', (query) => {
  const text = typedFrom('Relay', parse(query));
  const [, imported = ''] = /^import \{ (.+) \} from 'relay-runtime'/m.exec(text) ?? [];
  const imports = imported.replaceAll('type ', '').split(', ');
  const declared = [...text.matchAll(/\b(?:const|type|function) (\w+)(?: =|\()/g)].map(([, name]) => name);
  expect(imports).toContain('Environment');
  expect(declared.length).toBeGreaterThan(1);
  expect(declared.filter((name = '') => imports.includes(name))).toEqual([]);
});

it('gives the definitions of a Relay module the names that its compiler requires', () => {
  const document = parse(
    'query Site { site(id: 1) { ...Card } } fragment Card on Site { id ...SiteRest } fragment SiteRest on Site { city }',
  );
  expect(typedFrom('Relay', document).match(/(query|fragment|\.\.\.)\s*\w+/g)).toEqual([
    'query SiteQuery',
    '...Site_Card',
    'fragment Site_Card',
    '...SiteRest',
    'fragment SiteRest',
  ]);
});

it.each([
  ['fetch', '{ site(id: "a\\"b") { id } }', 'Make it a variable.'],
  ['urql', `{ site(id: "\${a}") { id } }`, 'Make it a variable.'],
  ['Relay', '{ site(id: 1) { ... @defer { city } } }', 'Relay defers named fragments only'],
] as const)('says why there is no typed operation for %s: %s', (client, query, reason) => {
  expect(() => typedFrom(client, parse(query))).toThrow(reason);
});

it.each([
  ['as it is', '{ a(b: "canary-key") }', ['canary-key'], true],
  ['in JSON', JSON.stringify({ a: 'canary"\\key' }), ['canary"\\key'], true],
  ['escaped in a string', 'query { a(b: "\\u0063anary\\u{2d}key") }', ['canary-key'], true],
  ['escaped twice', JSON.stringify({ query: '{ a(b: "\\u0063anary-key") }' }), ['canary-key'], true],
  ['between quotes of a shell', "--data-raw 'canary'\\''key'", ["canary'key"], true],
  ['in a template', 'const query = `canary\\`key`', ['canary`key'], true],
  ['without a key', '{ a }', ['', 'canary-key', "'"], false],
])('finds a key in a text: %s', (_, found, keys, expected) => {
  expect(containsKey(['{ b }', found], keys)).toBe(expected);
});
