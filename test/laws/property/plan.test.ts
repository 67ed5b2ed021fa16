import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contract } from '../../support/contract.ts';
import { postQuery, startGateway } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { startDocuments } from '../../support/upstreams/documents.ts';
import { type Operation, operationsOf } from './operation.ts';
import { numRuns, parameters, timeout } from './property.ts';
import { boundless } from './test-setup.ts';

interface Plan {
  calls: { path: string; forEach?: string }[];
  atMost: number;
  limit: number;
}

const halfTheRuns = Math.ceil(numRuns / 2);
const someRuns = { ...parameters, numRuns: halfTheRuns };

async function start(env: NodeJS.ProcessEnv = {}) {
  const upstream = await startDocuments();
  const gateway = await startGateway(upstream.url, { ...boundless, ...env });
  return { upstream, gateway };
}

type Started = Awaited<ReturnType<typeof start>>;

async function planOf({ gateway, upstream }: Started, { text, variables }: Operation, accept: string) {
  upstream.requests.length = 0;
  const headers = { 'x-explain': 'plan' };
  const { parts } = await postForParts(gateway.url, text, { variables, accept, headers });
  assert.deepEqual(upstream.paths(), []);
  return parts[0]?.extensions?.plan as Plan | undefined;
}

it(
  'equals the calls of any operation whose ids are in the document',
  async () => {
    const started = await start();
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(operationsOf(contract, true), async (operation) => {
        const plan = await planOf(started, operation, 'application/json');
        if (!plan || plan.calls.some(({ forEach }) => forEach !== undefined)) return;
        compared += 1;
        await postQuery(started.gateway.url, operation.text, { variables: operation.variables });
        assert.deepEqual(started.upstream.paths().sort(), plan.calls.map(({ path }) => path).sort());
        assert.equal(plan.atMost, plan.calls.length);
      }),
      someRuns,
    );
    expect(compared).toBeGreaterThan(halfTheRuns / 5);
  },
  timeout,
);

it(
  'is never exceeded with @defer',
  async () => {
    const started = await start();
    await fc.assert(
      fc.asyncProperty(operationsOf(contract, true), async (operation) => {
        const plan = await planOf(started, operation, 'multipart/mixed');
        if (!plan) return;
        await postForParts(started.gateway.url, operation.text, { variables: operation.variables });
        assert.ok(started.upstream.requests.length <= plan.atMost);
      }),
      someRuns,
    );
  },
  timeout,
);

it.each(['application/json', 'multipart/mixed', 'text/event-stream'])(
  'is limited by the budget for any operation: %s',
  async (accept) => {
    const { gateway, upstream } = await start({ MAX_UPSTREAM_CALLS: '3' });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(operationsOf(contract, true), async ({ text, variables }) => {
        upstream.requests.length = 0;
        const { parts } = await postForParts(gateway.url, text, { accept, variables });
        assert.ok(upstream.requests.length <= 3);
        const output = JSON.stringify(parts);
        assert.doesNotMatch(output, /INTERNAL_SERVER_ERROR/);
        if (output.includes('OPERATION_TOO_EXPENSIVE')) refused += 1;
      }),
      someRuns,
    );
    expect(refused).toBeGreaterThan(halfTheRuns / 25);
    expect(gateway.lines.filter((line) => line.startsWith('fault'))).toEqual([]);
  },
  timeout,
);
