import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Plan } from '../../../../src/features/explain/index.ts';
import { type Operation, operationsOf } from '../../../laws/property/operation.ts';
import { expectationOf } from '../../../laws/property/oracle.ts';
import { boundless, numRuns, parameters, timeout } from '../../../laws/property/test-setup.ts';
import { subgraphContract as contract } from '../../../support/contract.ts';
import { sites } from '../../../support/documents.ts';
import { postQuery, startGateway } from '../../../support/gateway.ts';
import { postForParts } from '../../../support/incremental.ts';
import { startDocuments } from '../../../support/upstreams/documents.ts';

const halfTheRuns = Math.ceil(numRuns / 2);
const someRuns = { ...parameters, numRuns: halfTheRuns };

const operations = operationsOf(contract, ['defer', 'stream']);
const forms = fc.constantFrom('application/json', 'multipart/mixed', 'text/event-stream');

async function start(env: NodeJS.ProcessEnv = {}) {
  const upstream = await startDocuments();
  const gateway = await startGateway(upstream.url, { ...boundless, ...env });
  return { upstream, gateway };
}

type Started = Awaited<ReturnType<typeof start>>;

async function planOf(
  { gateway, upstream }: Started,
  { text, variables }: Operation,
  accept: string,
  more: Record<string, string> = {},
) {
  upstream.requests.length = 0;
  const headers = { 'x-explain': 'plan', ...more };
  const { parts } = await postForParts(gateway.url, text, { variables, accept, headers });
  assert.deepEqual(upstream.paths(), []);
  return parts[0]?.extensions?.plan as Plan | undefined;
}

/** The calls that a report or a plan lists, with the fields of each, in the order of their paths. */
function listed(calls: readonly { path: string; fields: string[] }[]): string[] {
  return calls.map(({ path, fields }) => `${path} ${[...fields].sort().join(' ')}`).sort();
}

it(
  'equals the calls of any operation whose ids are in the document, with the fields that its report names',
  async () => {
    const started = await start();
    const headers = { 'x-explain': 'report' };
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(operations, async (operation) => {
        const { text, variables } = operation;
        const plan = await planOf(started, operation, 'application/json');
        if (!plan) return;
        const { extensions } = await postQuery(started.gateway.url, text, { variables, headers });
        const paths = started.upstream.paths();
        const known = plan.calls.filter(({ forEach }) => forEach === undefined);
        for (const { path } of known) assert.ok(paths.includes(path), path);
        assert.equal(plan.cost.known, known.length);
        if (known.length < plan.calls.length) return;
        compared += 1;
        assert.deepEqual(paths.sort(), known.map(({ path }) => path).sort());
        assert.deepEqual(listed(extensions?.upstream?.calls ?? []), listed(known));
        assert.equal(plan.atMost, known.length);
      }),
      someRuns,
    );
    expect(compared).toBeGreaterThan(halfTheRuns / 5);
  },
  timeout,
);

/** The number of elements of the lists at this path of the data. */
function countAt(data: unknown, [name, ...rest]: string[]): number {
  if (Array.isArray(data))
    return data.reduce<number>((sum, one) => sum + countAt(one, pathWith(name, rest)), 0);
  if (data === null || typeof data !== 'object' || name === undefined) return 0;
  const value = (data as Record<string, unknown>)[name];
  return rest.length === 0 ? (Array.isArray(value) ? value.length : 0) : countAt(value, rest);
}

const pathWith = (name: string | undefined, rest: string[]) => (name === undefined ? rest : [name, ...rest]);

/** The formula of a plan with the lengths of the lists in the data. */
function evaluated({ cost }: Plan, data: unknown): number {
  return cost.forEach.reduce(
    (sum, { list, calls }) => sum + calls * countAt(data, list.split('.')),
    cost.known,
  );
}

it(
  'has a formula that is never exceeded, and exact for distinct sites that exist, in any form',
  async () => {
    const started = await start();
    const { url } = started.gateway;
    let exact = 0;
    let data: unknown;
    await fc.assert(
      fc.asyncProperty(operations, forms, async (operation, accept) => {
        const plan = await planOf(started, operation, accept);
        if (!plan) return;
        const { text, variables } = operation;
        ({ data } = await postQuery(url, text, { variables }));
        started.upstream.requests.length = 0;
        await postForParts(url, text, { variables, accept });
        const most = evaluated(plan, data);
        const made = started.upstream.paths().length;
        assert.ok(made <= most, `${made} calls, by the formula ${most}`);
        assert.ok(made <= plan.atMost);
        const ids = expectationOf(operation, false).reads.sites.map(({ id }) => id);
        const listed = plan.cost.forEach.reduce((sum, { list }) => sum + countAt(data, list.split('.')), 0);
        const named = plan.calls.filter(
          ({ path, forEach }) => !forEach && path.startsWith('/v1/site/'),
        ).length;
        const isExact =
          ids.every((id) => sites.has(id)) && (listed === 0 || (named === 0 && new Set(ids).size === listed));
        if (!isExact) return;
        exact += 1;
        assert.equal(made, most);
      }),
      someRuns,
    );
    expect(exact).toBeGreaterThan(halfTheRuns / 10);
  },
  timeout,
);

it(
  'is limited by the budget for any operation, as its plan shows, in any form',
  async () => {
    const started = await start({ MAX_UPSTREAM_CALLS: '3' });
    const { gateway, upstream } = started;
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(operations, forms, async (operation, accept) => {
        const { text, variables } = operation;
        const plan = await planOf(started, operation, accept);
        const { parts } = await postForParts(gateway.url, text, { accept, variables });
        assert.ok(upstream.requests.length <= 3);
        const output = JSON.stringify(parts);
        assert.doesNotMatch(output, /INTERNAL_SERVER_ERROR/);
        const isTooExpensive = output.includes('OPERATION_TOO_EXPENSIVE');
        const isRejected = isTooExpensive && parts[0]?.data === undefined;
        if (isRejected) assert.ok(plan?.exceeded && plan.cost.known > 3, text);
        if (plan && !plan.exceeded) assert.ok(!isTooExpensive || plan.cost.forEach.length > 0, text);
        const fields = plan?.calls.flatMap((call) => call.fields) ?? [];
        if (plan?.exceeded) assert.ok(fields.includes(plan.exceeded.field), text);
        if (isTooExpensive) rejected += 1;
      }),
      someRuns,
    );
    expect(rejected).toBeGreaterThan(halfTheRuns / 25);
    expect(gateway.lines.filter((line) => line.startsWith('fault'))).toEqual([]);
  },
  timeout,
);

it(
  'decides by the limit of a request whether any operation is rejected, in any form',
  async () => {
    const started = await start();
    const { gateway, upstream } = started;
    const headers = { 'x-max-calls': '3' };
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(operations, forms, async (operation, accept) => {
        const { text, variables } = operation;
        const plan = await planOf(started, operation, accept, headers);
        if (!plan) return;
        const { parts } = await postForParts(gateway.url, text, { accept, variables, headers });
        const [{ data, errors } = {}] = parts;
        assert.ok(upstream.requests.length <= 3, text);
        assert.equal(data === undefined, plan.exceeded !== undefined, text);
        if (!plan.exceeded) return;
        rejected += 1;
        assert.deepEqual(upstream.paths(), []);
        assert.equal(errors?.[0]?.message, plan.exceeded.message);
      }),
      someRuns,
    );
    expect(rejected).toBeGreaterThan(halfTheRuns / 25);
  },
  timeout,
);
