import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type ExpectStatic, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../reference/data/demo-ids.ts';
import { partsIn, strike, withDependants } from '../house/strike.ts';
import { type GraphqlResponse, postQuery } from '../support/gateway.ts';
import { copyProject, shellEnv } from '../support/project.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Lines may leave a parameter or a variable of `features.ts` without a use, which is for the one who deletes. */
const compile = 'npx tsc --noUnusedLocals false --noUnusedParameters false --pretty false || true';

/** The files outside of its folders that need a part. What is not here needs none. */
const needing: Readonly<Record<string, readonly string[]>> = {
  // The page shows plans: it shares the one file of the planner that needs nothing of Node.
  'features/explain': [
    'graphiql/cost/plan/forecast.ts',
    'graphiql/cost/plan/hints.ts',
    'graphiql/cost/types.ts',
  ],
  // The page is what the feature serves.
  'features/graphiql': ['build/page.ts', 'graphiql/examples.ts'],
  // The forecast of live queries is compared with the polls themselves.
  'features/live': ['test/programs/plan/laws/forecast.test.ts'],
  // The suite for any REST API begins with the rules of the command, which it must not write twice.
  'programs/check-upstream': ['test/reference/contract/contract.test.ts'],
  // The types of the operations in examples are generated with their costs.
  'programs/plan': ['codegen.ts'],
};

/** Tests of the core, which pass without any part. */
const coreTests = ['loaders', 'errors', 'schema/site', 'operation/arguments'].map(
  (name) => `test/${name}.test.ts`,
);
const runCoreTests = `MUTANTS_TESTS='${coreTests}' npx vitest run --config test/mutants/vitest.config.ts`;

/**
 * The programs are bundled as they are shipped, without the page of GraphiQL, which is no part of them.
 */
const bundle = `npx tsx -e "import('./build/output.ts').then(async ({ writeOutput }) =>
  writeOutput((await (await import('./build/programs.ts')).bundlePrograms(process.cwd() + '/dist')).files))"`;

it.concurrent.for(partsIn(root))('is a gateway without %s', { timeout: 600_000 }, async (part, test) => {
  const { expect, onTestFinished } = test;
  const cwd = await copyProject(onTestFinished);
  const struck = withDependants(cwd, part);
  strike(cwd, struck);
  const sh = async (command: string) => {
    const options = { cwd, env: shellEnv(), maxBuffer: 2 ** 26 };
    const { stdout } = await run('sh', ['-c', command], options).catch(({ stdout, stderr }) => {
      throw new Error(`${command}\n${stdout}\n${stderr}`);
    });
    return stdout;
  };
  const program = (args: string) => sh(`node dist/main.js ${args}`);
  const errors = await sh(compile);
  const broken = new Set([...errors.matchAll(/^(\S+)\(\d+,\d+\): error /gm)].map(([, file]) => file));
  expect([...broken].sort(), errors).toEqual(struck.flatMap((one) => needing[one] ?? []).sort());
  await sh(bundle);
  await sh(runCoreTests);
  expect(await program('--help')).toContain('UPSTREAM_URL');
  expect(await program('check-config')).toContain('the configuration is valid');
  expect(await program('print-schema')).toContain('type Site {');

  const gateway = spawn(process.execPath, [join(cwd, 'dist/main.js')], { env: { ...shellEnv(), PORT: '0' } });
  onTestFinished(async () => {
    gateway.kill();
    await once(gateway, 'exit');
  });
  gateway.stderr.resume();
  const url = await endpointIn(gateway.stdout);
  const post = (query: string, key: string | null = demoKeys.acme) => postQuery(url, query, { key });
  const site = `site(id: "${demoSites().main}") { id clients { name } projects { name } }`;
  const whole = await post(`{ ${site} }`);
  expect(whole).toMatchObject({ status: 200, data: { site: { clients: expect.any(Array) } } });
  expect(whole.errors).toBeUndefined();
  expect(whole.data?.site).toMatchObject({ projects: expect.any(Array) });
  expect((await post(`{ ${site} }`, null)).status).toBe(403);
  const conversation = `conversationContext(id: "${demoConversations.main}") { subject sites { site { city } } }`;
  expectNoErrors(await post(`{ ${conversation} }`), expect);
});

async function endpointIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, url] = /^ready at (\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('ended before it was ready');
}

function expectNoErrors({ status, data, errors }: GraphqlResponse, expect: ExpectStatic): void {
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  expect(data).not.toContain(null);
}
