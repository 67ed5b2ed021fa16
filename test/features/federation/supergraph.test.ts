import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';
import { expect, it, onTestFinished } from 'vitest';
import { subgraphSdl } from '../../../src/features/federation/subgraph.ts';
import { schema as contract } from '../../../src/schema/index.ts';
import { startBoth, startGateway, type TestSettings } from '../../support/gateway.ts';
import { makeFolder } from '../../support/manifest.ts';
import { freePort, isListening } from '../../support/ports.ts';
import { startReference } from '../../support/reference.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const root = resolve(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/federation.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)(?: \S+)?\n(.*?)^```$/gms)].map(([, kind, text = '']) => ({
  kind,
  text,
}));
const textsOf = (kind: string) => blocks.filter((block) => block.kind === kind).map(({ text }) => text);
const [, visitsSchema = ''] = textsOf('graphql');

it('runs as docs/federation.md prints it, in front of a real router', async () => {
  const reference = await startReference();
  const gateway = await startGateway(reference.url, { FEDERATION: 'on' });
  const [visits, router] = [await freePort(), await freePort()];
  const withPorts = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:4000/graphql', gateway.url)
      .replaceAll(/\b4100\b/g, String(visits))
      .replaceAll(/\b4200\b/g, String(router));
  const folder = await makeFolder();
  const [visitsProgram = '', compose = '', routerProgram = ''] = textsOf('js').map(withPorts);
  const files = { 'visits.graphql': visitsSchema, 'visits.mjs': visitsProgram, 'compose.mjs': compose };
  for (const [name, text] of Object.entries({ ...files, 'router.mjs': routerProgram })) {
    expect(page).toContain(`\`${name}\``);
    await writeFile(join(folder, name), text);
  }
  const [start, install = '', prepare = '', query = ''] = textsOf('sh').map(withPorts);
  expect(start).toBe('FEDERATION=on npm start\n');
  await linkPackages(folder, install.match(/(@[\w-]+\/)?[\w-]+(?=@16| |\n)/g)?.slice(2) ?? []);
  const [servers = '', ...commands] = prepare.trimEnd().split('\n').reverse();
  await run(folder, commands.reverse().join('\n'));
  expect(page).toContain('npx --no-install portico print-schema --federation >portico.graphql\n');
  expect(await run(root, 'node dist/main.js print-schema --federation')).toBe(
    readFileSync(join(folder, 'portico.graphql'), 'utf8'),
  );
  for (const [program, port] of [
    ['visits.mjs', visits],
    ['router.mjs', router],
  ] as const) {
    expect(servers).toContain(`node ${program} &`);
    await startProgram(folder, program, port);
  }

  expect(JSON.parse(await run(folder, query))).toEqual(JSON.parse(textsOf('json')[0] ?? ''));
  const conversation = '/v1/conversation/5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00/context';
  const sites = ['SITE-1001', 'SITE-1002'].map((id) => `/v1/site/${id}?include=clients`);
  expect(reference.paths.sort()).toEqual([conversation, ...sites]);
});

/** In place of the installation: the packages as the repository has them. */
async function linkPackages(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const place = join(folder, 'node_modules', name);
    await mkdir(resolve(place, '..'), { recursive: true });
    await symlink(join(root, 'node_modules', name), place);
  }
}

async function run(cwd: string, commands: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands], { cwd });
  return stdout;
}

/** Starts a program of the page, and resolves when it accepts connections. */
async function startProgram(cwd: string, program: string, port: number): Promise<void> {
  const child = spawn(process.execPath, [program], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  while (!(await isListening(port)))
    if (child.exitCode !== null) throw new Error(`${program} exited with ${child.exitCode}`);
}

const conversation = { id: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00' };

/** A router over a gateway and the subgraph of the page, whose visits are of these sites and one conversation. */
async function startRouter(siteIds: readonly string[], env: TestSettings = {}) {
  const { upstream, gateway } = await startBoth({ FEDERATION: 'on', ...env }, (req, res) => {
    const path = req.url ?? '';
    const stamp = String(req.headers['x-api-key']);
    if (!path.startsWith('/v1/site/')) return sendJson(res, { subject: stamp });
    const { id, include } = siteFromPath(path);
    const clients = include.includes('clients') ? [{ name: stamp }] : undefined;
    sendJson(res, { ...bareSite(id), city: stamp, clients }, Number(id.slice(5)) || 200);
  });
  const openVisits = siteIds.map((id) => ({ technician: 'Kim', site: { id }, conversation }));
  const resolvers = { Query: { openVisits: () => openVisits } };
  const schema = createSchema({ typeDefs: visitsSchema, assumeValidSDL: true, resolvers });
  const yoga = createYoga({ schema, logging: false });
  const visits = await startUpstream((req, res) => yoga(req, res));
  const { supergraphSdl, errors } = composeServices([
    { name: 'visits', url: `${visits.url}/graphql`, typeDefs: parse(visitsSchema) },
    {
      name: 'portico',
      url: gateway.url,
      typeDefs: parse(subgraphSdl(contract)),
    },
  ]);
  expect(errors).toBeUndefined();
  const router = createGatewayRuntime({
    supergraph: supergraphSdl ?? '',
    logging: false,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }) => ({ 'x-api-key': request.headers.get('x-api-key') }),
    },
  });
  onTestFinished(async () => void (await router.dispose()));
  async function post(query: string, key: string) {
    const response = await router.fetch('http://router.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query }),
    });
    return (await response.json()) as { data: unknown; errors?: { extensions: { code: string } }[] };
  }
  return { upstream, gateway, post };
}

const query = '{ openVisits { site { city clients { name } } conversation { subject } } }';

it('gives each client its own data, with three REST calls for three visits of two sites', async () => {
  const { upstream, gateway, post } = await startRouter(['SITE-a', 'SITE-b', 'SITE-a']);
  const keys = ['key-of-partner-1', 'key-of-partner-2', 'key-of-partner-3'];
  const responses = await Promise.all(keys.map((key) => post(query, key)));
  const paths = [
    `/v1/conversation/${conversation.id}/context`,
    '/v1/site/SITE-a?include=clients',
    '/v1/site/SITE-b?include=clients',
  ];
  for (const key of keys) {
    const own = upstream.requests.filter(({ apiKey }) => apiKey === key);
    expect(own.map(({ path }) => path).sort()).toEqual(paths);
  }
  expect(upstream.requests).toHaveLength(9);
  const visit = (key: string) => ({
    site: { city: key, clients: [{ name: key }] },
    conversation: { subject: key },
  });
  expect(responses).toEqual(keys.map((key) => ({ data: { openVisits: Array(3).fill(visit(key)) } })));
  await post(query, 'key-of-partner-1');
  expect(gateway.gauge('portico_fast_path_operations_total')).toBe(4);
});

it('fails a site alone at the router, and a missing one without an error', async () => {
  const { gateway, post } = await startRouter(['SITE-a', 'SITE-404', 'SITE-500'], { retryPercent: 0 });
  const { data, errors = [] } = await post('{ openVisits { site { city } } }', 'key-of-partner-1');
  const sites = ['key-of-partner-1', null, null].map((city) => ({ site: { city } }));
  expect(data).toEqual({ openVisits: sites });
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect((await gateway.logged('operation')).map(({ status }) => status)).toEqual([294]);
});

it('makes no REST call for 60 visits, more than a list may hold', async () => {
  const { upstream, post } = await startRouter(Array.from({ length: 60 }, (_, n) => `SITE-a${n}`));
  const { errors = [] } = await post('{ openVisits { site { city } } }', 'key-of-partner-1');
  expect(upstream.requests).toEqual([]);
  expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['BAD_USER_INPUT']));
});
