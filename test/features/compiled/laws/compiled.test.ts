import fc from 'fast-check';
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createCompiler } from '../../../../src/features/compiled/compiler.ts';
import { composition } from '../../../../src/features.ts';
import { apiKeyOf } from '../../../../src/rest/caller.ts';
import type { UpstreamClient } from '../../../../src/rest/client.ts';
import { UpstreamForbidden, UpstreamRateLimited, UpstreamUnavailable } from '../../../../src/rest/errors.ts';
import { SyncPromise } from '../../../../src/rest/sync-promise.ts';
import { contextTarget, pathOf, SiteTarget } from '../../../../src/rest/targets.ts';
import { servedSchema } from '../../../../src/schema/index.ts';
import { createInput } from '../../../../src/schema/input.ts';
import { type Loaders, OperationCalls } from '../../../../src/schema/loaders.ts';
import { ResponseBudget } from '../../../../src/schema/response-budget.ts';
import { operationsOf } from '../../../laws/property/operation.ts';
import { subgraphContract } from '../../../support/contract.ts';
import { assertUntil } from '../../../support/draw.ts';
import { testConfig } from '../../../support/gateway.ts';
import { contextSamples, siteSamples } from '../../../support/samples.ts';
import { scaled, testSeed } from '../../../support/scale.ts';

const numRuns = scaled(50);
const timeout = 120_000 + numRuns * 100;
const maxBytes = 100_000_000;
const schema = servedSchema(
  composition.compose(testConfig({ FEDERATION: 'on', LIVE: 'off' }), () => {}).schema,
);
const input = createInput({ ...testConfig(), maxIds: 1000 });

/** One site and one conversation for every id, the failures of some, and when responses come. */
interface World {
  site: object;
  context: object;
  failures: Record<string, keyof typeof failures>;
  arrivals: ('now' | 'microtask' | 'later')[];
}

const failures = {
  missing: null,
  forbidden: new UpstreamForbidden(),
  limited: new UpstreamRateLimited(1),
  down: new UpstreamUnavailable(503),
};

const ids = ['SITE-1', 'SITE-2', 'SITE-3', 'SITE-4', 'SITE-1?include=clients', 'SITE-2?include=projects'];

const worlds: fc.Arbitrary<World> = fc.record({
  site: siteSamples('').map(({ json }) => Object(json)),
  context: contextSamples.map(({ json }) => Object(json)),
  failures: fc.oneof(
    fc.constant({}),
    fc.dictionary(
      fc.constantFrom(...ids),
      fc.constantFrom(...(Object.keys(failures) as (keyof typeof failures)[])),
      { maxKeys: 3 },
    ),
  ),
  arrivals: fc.array(fc.constantFrom('now', 'microtask', 'later'), { minLength: 1, maxLength: 5 }),
});

/** A client with the resources of a world, in objects of their own, and the paths that it was called for. */
function clientOf({ site, context, failures: failing, arrivals }: World) {
  const paths: string[] = [];
  const respond = <T>(path: string, resource: () => T): Promise<T | null> => {
    const arrival = arrivals[paths.length % arrivals.length];
    paths.push(path);
    const promise = new SyncPromise<T | null>();
    const failure = failing[path.replace('/v1/site/', '')];
    const settle = () => {
      if (failure === undefined) promise.resolve(resource());
      else if (failure === 'missing') promise.resolve(null);
      else promise.reject(failures[failure]);
    };
    if (arrival === 'now') settle();
    else if (arrival === 'microtask') queueMicrotask(settle);
    else setImmediate(settle);
    return promise;
  };
  const client: UpstreamClient = {
    getSite: (_, id, include) =>
      respond(pathOf({ kind: 'site', id }, include), () =>
        new SiteTarget(id, include).fromJson(structuredClone({ ...site, id }), () => {}),
      ),
    getConversationContext: (_, id) =>
      respond(pathOf({ kind: 'conversation', id }, []), () =>
        contextTarget(id).fromJson(structuredClone(context), () => {}),
      ),
    getHealth: async () => {
      paths.push('/v1/health');
      return { reachable: true, statusCode: 200, latencyMs: 1, body: structuredClone(context) };
    },
  };
  const signal = new AbortController().signal;
  const calls = new OperationCalls(client, { key: apiKeyOf('key'), signal }, 10_000);
  return { calls, paths };
}

function contextOf(loaders: Loaders) {
  return { loaders, input, response: new ResponseBudget({ maxValues: 10_000_000, maxErrors: 100_000 }) };
}

const operations = operationsOf(subgraphContract);

/** Executes an operation compiled, and if that fails by graphql-js, with the same calls. */
async function executeCompiled(text: string, variables: Record<string, unknown>, calls: OperationCalls) {
  const compiler = createCompiler({ schema, maxBytes: 1e9, checkOf: () => undefined, report: () => {} });
  const document = parse(text);
  const found = compiler.find(document, null, variables, false);
  if (!found) throw new Error('It is not compiled.');
  const body = await new Promise<string | undefined>((resolve) => {
    found.execute(
      contextOf(Object.assign(calls, { merges: found.merges })),
      found.variables,
      maxBytes,
      resolve,
    );
  });
  if (body !== undefined) return { body };
  const contextValue = contextOf(calls);
  return { failed: await execute({ schema, document, variableValues: variables, contextValue }) };
}

it('executes compiled operations as graphql-js does, with the same calls', { timeout }, async () => {
  let succeeded = 0;
  const property = fc.asyncProperty(operations, worlds, async ({ text, variables }, world) => {
    const byGraphqlJs = clientOf(world);
    const contextValue = contextOf(byGraphqlJs.calls);
    const document = parse(text);
    const expected = await execute({ schema, document, variableValues: variables, contextValue });
    const compiled = clientOf(world);
    const { body, failed } = await executeCompiled(text, variables, compiled.calls);
    if (expected.errors) expect(body).toBeUndefined();
    else {
      expect(body).toBe(JSON.stringify(expected));
      succeeded += 1;
    }
    expect(failed?.data).toEqual(failed && expected.data);
    expect(failed?.errors?.length).toBe(failed && expected.errors?.length);
    expect(compiled.paths.toSorted()).toEqual(byGraphqlJs.paths.toSorted());
  });
  const enough = numRuns / 10;
  await assertUntil(() => succeeded > enough, property, { numRuns, seed: testSeed ?? 20260101 });
  expect(succeeded).toBeGreaterThan(enough);
});
