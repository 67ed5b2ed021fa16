import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createLogger } from '../../../src/features/logs/log.ts';
import { logOperation } from '../../../src/features/logs/log-lines.ts';
import type { Operation } from '../../../src/observers/operation.ts';
import {
  apiKey,
  openGateway,
  postQuery,
  startBoth,
  startGateway,
  type TestSettings,
} from '../../support/gateway.ts';
import { incrementalFormats } from '../../support/incremental.ts';
import { createLines, type Line } from '../../support/lines.ts';
import { startProcess } from '../../support/process.ts';
import { bareSite, sendJson, sendSiteOrStatus, startUpstream } from '../../support/upstream.ts';
import { send } from '../../support/wire.ts';

const one = '{ site(id: "SITE-1") { id } }';
const named = 'query Named($id: ID!) { site(id: $id) { id } }';

async function startSites() {
  return startUpstream((req, res) => {
    if (req.url?.includes('SITE-cut')) res.destroy();
    else if (!req.url?.includes('SITE-silent')) sendSiteOrStatus(req, res);
  });
}

const start = async (env: TestSettings = {}) => startGateway((await startSites()).url, env);

it('logs operations as JSON lines, all of them on SIGTERM', async () => {
  const upstream = await startSites();
  const main = await startProcess('main.ts', { PORT: '0', UPSTREAM_URL: upstream.url });
  const [, url = ''] = await main.printed(/^ready at (\S+)\n$/);
  for (let n = 0; n < 5; n += 1) {
    await postQuery(url, named, {
      variables: { id: 'SITE-of-a-variable' },
      headers: { 'x-request-id': `r-${n}` },
    });
  }
  main.kill('SIGTERM');
  const { code, stdout, stderr } = await main.exit();
  expect({ code, stdout }).toEqual({ code: 0, stdout: `ready at ${url}\n` });
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines.filter(({ event }) => event === 'operation')).toEqual(
    [0, 1, 2, 3, 4].map((n) => ({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event: 'operation',
      requestId: `r-${n}`,
      operation: 'Named',
      document: createHash('sha256').update(named).digest('hex'),
      outcome: 'ok',
      status: 200,
      durationMs: expect.any(Number),
      upstream: { network: 1 },
      codes: [],
      key: '0813ba6d30f7',
      msg: 'operation',
    })),
  );
  expect(stderr).not.toContain('SITE-');
});

it('writes the fields of an operation in one order', () => {
  const { output, written } = createLines();
  const logger = createLogger('info', output);
  const call = { method: 'GET', path: '/v1/health', status: 200, durationMs: 1 } as const;
  const operation: Operation = {
    ...{
      requestId: 'r',
      type: null,
      isTrusted: false,
      isPlan: false,
      outcome: 'partial' as const,
      status: 200,
    },
    ...{ traceId: undefined, name: null, documentHash: null, key: null, isStream: false },
    ...{ calls: [], codes: [], durationMs: 1.5, clientName: null, clientVersion: null },
  };
  logOperation(logger, operation);
  logOperation(logger, {
    ...operation,
    ...{
      traceId: 'a1',
      name: 'N"',
      documentHash: 'd0',
      key: 'c2',
      isStream: true,
      isPlan: true,
      codes: ['A', 'B"'],
    },
    ...{ clientName: 'web "app"', clientVersion: '1.2' },
    calls: [
      { ...call, source: 'network' },
      { ...call, source: 'cache' },
      { ...call, source: 'network' },
    ],
  });
  expect(written.map((line) => line.replace(/"time":"[^"]{24}"/, '"time":""'))).toEqual([
    '{"level":"info","time":"","event":"operation","requestId":"r","operation":null,"document":null,"outcome":"partial",' +
      '"status":200,"durationMs":1.5,"upstream":{},"codes":[],"key":null,"msg":"operation"}\n',
    '{"level":"info","time":"","event":"operation","requestId":"r","traceId":"a1","operation":"N\\"","document":"d0",' +
      '"outcome":"partial","status":200,"durationMs":1.5,"stream":true,"plan":true,' +
      '"upstream":{"network":2,"cache":1},"codes":["A","B\\""],"key":"c2","clientName":"web \\"app\\"","clientVersion":"1.2","msg":"operation"}\n',
  ]);
});

it('logs requests without an operation', async () => {
  const { url, origin, logged } = await start({ maxBodyBytes: 1024 });
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  await postQuery(url, one, { key: null });
  await send(origin, { headers, body: '{' });
  await send(origin, { headers, body: 'x'.repeat(2000) });
  await send(origin, { headers: { ...headers, accept: 'text/plain' }, body: JSON.stringify({ query: one }) });
  await postQuery(url, '{ nothing }');
  const lines = await logged('operation', 5);
  expect(lines.map(({ outcome, status, codes, key }) => [outcome, status, codes, key !== null])).toEqual([
    ['rejected', 403, ['FORBIDDEN'], false],
    ['rejected', 400, ['BAD_REQUEST'], true],
    ['rejected', 413, ['BAD_REQUEST'], true],
    ['rejected', 406, ['BAD_REQUEST'], true],
    ['rejected', 200, ['GRAPHQL_VALIDATION_FAILED'], true],
  ]);
});

it('truncates the name of an operation after 64 characters with an ellipsis', async () => {
  const { url, logged, written } = await start();
  const [longest, tooLong] = ['n'.repeat(64), 'n'.repeat(32_000)];
  for (const name of [longest, tooLong]) await postQuery(url, `query ${name} { site(id: "SITE-1") { id } }`);
  const lines = await logged('operation', 2);
  expect(lines.map(({ operation }) => operation)).toEqual([longest, `${longest}…`]);
  for (const line of written) expect(line.length).toBeLessThan(1000);
});

it('logs the errors of a response in parts, and a disconnect', async () => {
  const [accept = ''] = incrementalFormats;
  const upstream = await startSites();
  const { url, logged } = await startGateway(upstream.url);
  const query =
    '{ site(id: "SITE-1") { id ... @defer { again: address1 } } ... @defer { b: site(id: "SITE-500") { id } } }';
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey, accept };
  await send(new URL(url).origin, { headers, body: JSON.stringify({ query }) });
  expect((await logged('operation'))[0]).toMatchObject({
    outcome: 'partial',
    codes: ['UPSTREAM_UNAVAILABLE'],
  });
  const leaving = new AbortController();
  const left = postQuery(url, '{ site(id: "SITE-silent") { id } }', { signal: leaving.signal }).catch(
    () => 'left',
  );
  await upstream.received(upstream.requests.length + 1);
  leaving.abort();
  expect(await left).toBe('left');
  expect((await logged('operation', 2))[1]).toMatchObject({ outcome: 'abandoned' });
});

it('logs each REST call that failed', async () => {
  const { url, logged } = await start({ retryPercent: 0, UPSTREAM_TIMEOUT_MS: '1000' });
  const failures = [
    ['SITE-503', 503, 'UPSTREAM_UNAVAILABLE', 'warn'],
    ['SITE-cut', null, 'UPSTREAM_UNAVAILABLE', 'warn'],
    ['SITE-silent', null, 'UPSTREAM_TIMEOUT', 'warn'],
    ['SITE-403', 403, 'FORBIDDEN', 'info'],
    ['SITE-429', 429, 'RATE_LIMITED', 'info'],
  ] as const;
  for (const [id] of failures)
    await postQuery(url, `{ a: site(id: "${id}") { id } b: site(id: "${id}") { city } }`, {
      headers: { 'x-request-id': `for-${id}` },
    });
  await logged('operation', failures.length);
  const common = { endpoint: 'site', path: '/v1/site/{id}', key: '0813ba6d30f7' };
  expect(await logged('upstream', failures.length)).toMatchObject(
    failures.map(([id, status, code, level]) => ({
      ...common,
      ...{ level, requestId: `for-${id}`, code, status },
    })),
  );
});

it.each([
  ['warn', 1],
  ['silent', 0],
])('logs only failures above the level info: %s', async (LOG_LEVEL, count) => {
  const { url: upstreamUrl } = await startSites();
  const { url, close, written } = await openGateway(upstreamUrl, { LOG_LEVEL, retryPercent: 0 });
  await postQuery(url, '{ a: site(id: "SITE-500") { id } b: site(id: "SITE-1") { id } }');
  await close();
  expect(written).toHaveLength(count);
});

it('logs each REST call at the level debug', async () => {
  const { url, logged } = await start({ LOG_LEVEL: 'debug' });
  await postQuery(url, '{ a: site(id: "SITE-1") { id } b: site(id: "SITE-2") { projects { id } } }');
  const calls = await logged('call', 2);
  expect(calls.map(({ path }) => path).sort()).toEqual(['/v1/site/{id}', '/v1/site/{id}?include=projects']);
});

it('uses a sane request id of the client, else a unique one, and sends it in every response', async () => {
  const { origin, url, logged } = await start();
  const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id');
  const sane = 'a-sane.one/with:all+of=it@1_2';
  const others = ['x'.repeat(129), 'with a blank', '', `holds-${apiKey.slice(3, 12)}`];
  const ids = [];
  for (const sent of [sane, ...others])
    ids.push(idOf(await postQuery(url, one, { headers: { 'x-request-id': sent } })));
  expect((await logged('operation', 5)).map(({ requestId }) => requestId)).toEqual(ids);
  ids.push(
    idOf(await fetch(origin)),
    idOf(await postQuery(url, '{')),
    idOf(await fetch(url, { method: 'PUT' })),
  );
  const [first, ...generated] = ids;
  expect(first).toBe(sane);
  expect(new Set(generated).size).toBe(7);
  for (const id of generated) expect(id).toMatch(/^[\da-f]{12}-\d+$/);
});

it('logs the stack of a fault, with the positions in src/ by --enable-source-maps', async () => {
  const { url: upstreamUrl } = await startSites();
  // The program calls this for the key or the document of a request.
  const broken = `import crypto from 'node:crypto'; import { syncBuiltinESMExports } from 'node:module';
    crypto.hash = () => { throw new Error('broken') }; syncBuiltinESMExports();`;
  const main = await startProcess('main.ts', {
    PORT: '0',
    UPSTREAM_URL: upstreamUrl,
    LOG_LEVEL: 'error',
    NODE_OPTIONS: `--enable-source-maps --import=data:text/javascript,${encodeURIComponent(broken)}`,
  });
  const [, url = ''] = await main.printed(/^ready at (\S+)\n$/);
  await postQuery(url, named, { variables: { id: 'SITE-1' } });
  main.kill('SIGTERM');
  const { stderr } = await main.exit();
  const [{ stack }] = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)) as [{ stack: string }];
  expect(stack).toMatch(/^Error: broken\n/);
  const [, path = '', line = 0] = /\((?:file:\/\/)?(\S+\/src\/\S+\.ts):(\d+):\d+\)$/m.exec(stack) ?? [];
  expect(readFileSync(path, 'utf8').split('\n')[Number(line) - 1]).toContain('hash(');
});

it('counts differences from the contract by field, and logs the first', async () => {
  const { gateway } = await startBoth({}, (_, res) =>
    sendJson(res, { ...bareSite('SITE-1'), city: 7, sla: 'x' }),
  );
  await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }');
  await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }');
  expect(gateway.drift()).toEqual(
    new Map([
      ['Site.city', 2],
      ['Site.sla', 2],
    ]),
  );
  expect(gateway.lines).toEqual([
    'a REST API response differs from the contract at Site.city',
    'a REST API response differs from the contract at Site.sla',
  ]);
});
