import { OperationTypeNode } from 'graphql';
import { expect, it } from 'vitest';
import { version } from '../../../src/config/settings.ts';
import { createMetrics } from '../../../src/features/metrics/metrics.ts';
import type { Operation } from '../../../src/observers/operation.ts';
import { errorCodes } from '../../../src/schema/errors.ts';
import { canary, openWithCanary } from '../../observers/canary.ts';
import { leaksOf } from '../../support/canary.ts';
import { apiKey, postQuery, startBoth, type TestSettings } from '../../support/gateway.ts';
import { bareSite, sendJson, siteFromPath } from '../../support/upstream.ts';
import { openWire, wireOf } from '../../support/wire.ts';
import { startScrape } from './scrape.ts';

const env = { ADMIN_PORT: '0' };

/** Responds with a site for each id, but for those named here; for `SITE-wait` when the test releases it. */
async function start(more: TestSettings = {}) {
  const held: (() => void)[] = [];
  const { upstream, gateway } = await startBoth({ ...env, ...more }, (req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    const respond = () => sendJson(res, bareSite(id));
    if (id.startsWith('SITE-500')) sendJson(res, {}, 500);
    else if (id === 'SITE-418') sendJson(res, {}, 418);
    else if (id === 'SITE-drift') sendJson(res, { ...bareSite(id), city: 7 });
    else if (id === 'SITE-wait') held.push(respond);
    else respond();
  });
  return { ...gateway, upstream, held, scrape: startScrape(gateway) };
}

it('counts operations by name and outcome, errors by code, responses by status', async () => {
  const { url, logged, scrape } = await start({ MAX_UPSTREAM_CALLS: '1' });
  await postQuery(url, 'query Well { site(id: "SITE-1") { id } }');
  await postQuery(url, 'query Well { site(id: "SITE-1") { id } }');
  await postQuery(url, '{ site(id: "SITE-1") { id } }');
  await postQuery(url, 'query Broken { site(id: "SITE-500") { id } }');
  await postQuery(url, 'query Dear { a: site(id: "SITE-1") { id } b: site(id: "SITE-2") { id } }');
  await postQuery(url, '{ nothing', {});
  await postQuery(url, '{ site(id: "SITE-1") { id } }', { key: null });
  await logged('operation', 7);
  expect(await scrape.read('portico_operations_total')).toEqual({
    'operation=Well,outcome=ok': 2,
    'operation=(anonymous),outcome=ok': 1,
    // Neither got data.
    'operation=(other),outcome=partial': 1,
    'operation=(other),outcome=rejected': 1,
    'operation=(none),outcome=rejected': 2,
  });
  // Codes without an error are there too: `increase()` ignores the first value of a series.
  expect(await scrape.read('portico_operation_errors_total')).toEqual({
    ...Object.fromEntries(errorCodes.map((code) => [`code=${code}`, 0])),
    'code=UPSTREAM_UNAVAILABLE': 1,
    'code=OPERATION_TOO_EXPENSIVE': 1,
    'code=GRAPHQL_PARSE_FAILED': 1,
    'code=FORBIDDEN': 1,
  });
  expect(await scrape.read('portico_http_responses_total')).toMatchObject({ 'status=403': 1 });
  expect(await scrape.read('portico_build_info')).toEqual({ [`version=${version}`]: 1 });
  expect(await scrape.read('portico_operation_duration_seconds_count')).toMatchObject({
    'operation=Well': 2,
  });
});

const operation: Operation = {
  ...{
    requestId: '1',
    name: null,
    type: OperationTypeNode.QUERY,
    documentHash: 'ab',
    isTrusted: false,
    isPlan: false,
  },
  ...{ outcome: 'ok', status: 200, durationMs: 1, codes: [], key: null, traceId: undefined },
  ...{ isStream: false, clientName: null, clientVersion: null },
  calls: [{ method: 'GET', path: '/v1/health', status: 200, durationMs: 1, source: 'network' }],
};

it('has no duration of a stream among those of operations', async () => {
  const { registry, onFinished: count } = createMetrics();
  count({ ...operation, isStream: true });
  const durations = await registry.getSingleMetric('portico_operation_duration_seconds')?.get();
  expect(durations?.values).toEqual([]);
});

it('labels the first names that got data, and apart from them the first in trusted documents', async () => {
  const { registry, onFinished: count } = createMetrics();
  const longest = (isTrusted: boolean) => `${isTrusted}`.padEnd(64, 'n');
  for (const isTrusted of [true, false]) {
    const calls = isTrusted ? [] : operation.calls;
    const names = Array.from({ length: 1200 }, (_, n) => `${isTrusted}${n}`);
    for (const name of [`${longest(isTrusted)}n`, longest(isTrusted), ...names]) {
      count({ ...operation, name, isTrusted, calls });
    }
  }
  count({ ...operation, name: 'true7' });
  const { values } = (await registry.getSingleMetric('portico_operations_total')?.get()) ?? { values: [] };
  const counts = new Map(values.map(({ labels, value }) => [labels.operation, value]));
  const names = [...counts.keys()].map(String);
  expect(names.filter((name) => name.startsWith('true'))).toHaveLength(1000);
  expect(names.filter((name) => name.startsWith('false'))).toHaveLength(100);
  expect([longest(true), longest(false), 'true7', '(other)'].map((name) => counts.get(name))).toEqual([
    ...[1, 1, 1, 2404 - 1099],
  ]);
});

it('counts REST calls by endpoint, status and source', async () => {
  const { url, logged, scrape, held, upstream } = await start({ CACHE_TTL_MS: '60000' });
  const waiting = '{ a: site(id: "SITE-wait") { id } b: site(id: "SITE-wait") { id } }';
  const first = postQuery(url, waiting);
  await upstream.received(1);
  const second = postQuery(url, waiting);
  const active = async () => (await scrape.read('portico_operations_active'))[''];
  while ((await active()) !== 2);
  expect(await scrape.read('portico_upstream_calls_active')).toEqual({ '': 1 });
  for (const respond of held) respond();
  await Promise.all([first, second]);
  await postQuery(url, '{ site(id: "SITE-wait") { id } }');
  await postQuery(url, '{ site(id: "SITE-418") { id } health { statusCode } }');
  await logged('operation', 4);
  expect(await scrape.read('portico_upstream_calls_total')).toEqual({
    'endpoint=site,status=200,source=network': 1,
    'endpoint=site,status=200,source=coalesced': 1,
    'endpoint=site,status=200,source=cache': 1,
    'endpoint=site,status=418,source=network': 1,
    'endpoint=health,status=200,source=network': 1,
  });
  expect(await scrape.read('portico_upstream_call_duration_seconds_count')).toEqual({
    'endpoint=site': 2,
    'endpoint=health': 1,
  });
});

it('reads the state of the gateway at each scrape', async () => {
  const { url, scrape, gauge } = await start();
  const drifting = '{ site(id: "SITE-drift") { id city } }';
  for (let n = 0; n < 3; n += 1) await postQuery(url, drifting);
  expect(await scrape.read('portico_drift_total')).toEqual({ 'field=Site.city': 3 });
  expect(await scrape.read('portico_compiled_operations')).toEqual({ '': 1 });
  expect(await scrape.read('portico_fast_path_operations_total')).toEqual({
    '': gauge('portico_fast_path_operations_total'),
  });
  expect(await scrape.read('portico_breaker_open')).toEqual({ '': 0 });
  for (let n = 0; n < 20; n += 1) await postQuery(url, `{ site(id: "SITE-500-${n}") { id } }`);
  expect(await scrape.read('portico_breaker_open')).toEqual({ '': 1 });
  const connections = await scrape.read('portico_connections');
  expect(connections['']).toBeGreaterThan(0);
});

it('has no part of a key in a metric, wherever the client sends it', async () => {
  const gateway = await openWithCanary({ ADMIN_PORT: '0' });
  const scraped = await startScrape(gateway).text();
  await gateway.close();
  expect(scraped).toContain('portico_operations_total{');
  expect(leaksOf(canary, scraped)).toEqual([]);
});

it('counts rejections by status, without those of the GraphQL endpoint', async () => {
  const { url, origin, scrape } = await start({ MAX_CONNECTIONS: '1' });
  await postQuery(url, '{ nothing }', { headers: { connection: 'close' } });
  const wire = await openWire(origin);
  await (await openWire(origin)).closed;
  // They are handled in one turn of the event loop.
  wire.write(wireOf('GET /', {}).repeat(29) + wireOf('GET /', { connection: 'close' }));
  await wire.closed;
  expect(await scrape.read('portico_http_rejections_total')).toEqual({ 'status=none': 1, 'status=404': 30 });
});

it('labels the first hundred names of clients that got data', async () => {
  const { url, scrape, logged } = await start();
  const post = (query: string, name: string) => postQuery(url, query, { headers: { 'x-client-name': name } });
  const one = '{ site(id: "SITE-1") { id } }';
  await postQuery(url, one);
  await post('{ nothing }', 'without data');
  // Cut, redacted, and in brackets.
  for (const name of ['n'.repeat(65), apiKey.slice(3, 13), '(none)']) await post(one, name);
  for (let n = 0; n <= 100; n += 1) await post(one, `client ${n}`);
  await logged('operation', 106);
  const counts = await scrape.read('portico_client_operations_total');
  expect(Object.keys(counts)).toHaveLength(102);
  expect(counts).toMatchObject({ 'client=(none)': 1, 'client=client 99': 1, 'client=(other)': 5 });
});
