import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contract } from '../../support/contract.ts';
import { apiKey, type GraphqlResponse, startGateway } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { sendJson } from '../../support/upstream.ts';
import { startDocuments } from '../../support/upstreams/documents.ts';
import { type Operation, operationsOf } from './operation.ts';
import { numRuns, parameters, timeout } from './property.ts';
import { boundless } from './test-setup.ts';

type Report = NonNullable<NonNullable<GraphqlResponse['extensions']>['upstream']>;

const canary = 'a body of the upstream';
const otherKey = 'other-key-0123456789abcdef';

/** An upstream that fails every second call for SITE-2, and SITE-1 and SITE-5 where they are to be expanded. */
function startFaulty() {
  let calls = 0;
  return startDocuments((path, res) => {
    if (/SITE-[15]\?/.test(path)) return failWith(500);
    if (!path.startsWith('/v1/site/SITE-2')) return false;
    calls += 1;
    return calls % 2 === 1 && failWith(503);

    function failWith(status: number): true {
      sendJson(res, { canary }, status);
      return true;
    }
  });
}

async function reportsOf(url: string, { text, variables }: Operation, key: string, accept: string) {
  const headers = { 'x-explain': 'report' };
  const { parts } = await postForParts(url, text, { variables, key, accept, headers });
  const reports = parts.flatMap(({ extensions }) => (extensions?.upstream as Report | undefined) ?? []);
  assert.equal(reports.length, parts.length);
  return reports;
}

const accepts = fc.constantFrom('application/json', 'multipart/mixed', 'text/event-stream');
const operations = operationsOf(contract, true);

/** What the reports of several operations list, and each of its sources. */
async function run(env: NodeJS.ProcessEnv) {
  const upstream = await startFaulty();
  const gateway = await startGateway(upstream.url, {
    ...boundless,
    retryPercent: 100,
    failurePercent: 100,
    ...env,
  });
  const seen = new Set<string>();

  async function check(one: Operation, other: Operation, accept: string): Promise<void> {
    upstream.requests.length = 0;
    const [first, second, foreign] = await Promise.all([
      reportsOf(gateway.url, one, apiKey, accept),
      reportsOf(gateway.url, one, apiKey, accept),
      reportsOf(gateway.url, other, otherKey, accept),
    ]);
    for (const reports of [first, second, foreign]) checkReport(reports);
    checkReceived([...first, ...second], apiKey);
    checkReceived(foreign, otherKey);
    const output = JSON.stringify([first, second, foreign]);
    for (const secret of [canary, apiKey, otherKey, '127.0.0.1']) assert.ok(!output.includes(secret), secret);
  }

  function checkReport(reports: Report[]): void {
    const calls = reports.flatMap((report) => report.calls);
    const last = reports.at(-1);
    assert.deepEqual(
      reports.map(({ budget }) => budget !== undefined),
      reports.map((report) => report === last),
    );
    assert.equal(last?.budget?.spent, calls.filter(({ source }) => source === 'network').length);
    for (const [n, call] of calls.entries()) {
      seen.add(call.attempt ? 'retry' : call.source);
      assert.ok(call.startedMs >= 0 && call.durationMs >= 0);
      assert.ok(call.fields.length > 0, `${call.path} has no field`);
      const isRetried = calls.slice(0, n).some(({ path, status }) => path === call.path && status === 503);
      assert.ok(call.attempt === undefined || isRetried, `${call.path} is no retry`);
    }
  }

  function checkReceived(reports: Report[], key: string): void {
    const sent = reports.flatMap(({ calls }) => calls).filter(({ source }) => source === 'network');
    const received = upstream.requests.filter((request) => request.apiKey === key);
    assert.deepEqual(sent.map(({ path }) => path).sort(), received.map(({ path }) => path).sort());
  }

  await fc.assert(fc.asyncProperty(operations, operations, accepts, check), {
    ...parameters,
    numRuns: Math.ceil(numRuns / 2),
  });
  return [...seen].sort();
}

it.each<[string, NodeJS.ProcessEnv, string[]]>([
  ['with retries and coalescing', {}, ['coalesced', 'network', 'retry']],
  ['with a cache', { CACHE_TTL_MS: '3600000' }, ['cache', 'coalesced', 'network', 'retry']],
])(
  'lists exactly the calls that the upstream received, for any operations at once: %s',
  async (_, env, sources) => {
    expect(await run(env)).toEqual(sources);
  },
  timeout,
);
