import { afterEach, expect, it, vi } from 'vitest';
import { version } from '../../../src/config/settings.ts';
import { canary, openWithCanary } from '../../observers/canary.ts';
import { leaksOf } from '../../support/canary.ts';
import { openGateway, postOperation, postQuery, type TestSettings } from '../../support/gateway.ts';
import { openLive } from '../../support/live.ts';
import { writeManifest } from '../../support/manifest.ts';
import { startProcess } from '../../support/process.ts';
import { bareSite, sendJson, sendSiteOrStatus, startUpstream } from '../../support/upstream.ts';
import { type Span, startCollector } from './collector.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const sampled = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
const unsampled = { traceparent: `00-${traceId}-b7ad6b7169203331-00` };
const twice =
  'query Twice { a: site(id: "SITE-1") { id } b: site(id: "SITE-1") { projects { name } } health { statusCode } }';

afterEach(() => vi.unstubAllEnvs());

/** A gateway with traces, over an upstream where `SITE-503` fails; closing it sends the spans. */
async function start(env: TestSettings = {}) {
  const upstream = await startUpstream(sendSiteOrStatus);
  const collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  const gateway = await openGateway(upstream.url, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  return { ...gateway, upstream, collector };
}

/** The spans as a tree of names and attributes. */
function treeOf(spans: readonly Span[], parentSpanId: string): unknown[] {
  return spans
    .filter((span) => span.parentSpanId === parentSpanId)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((span) => [span.name, ...treeOf(spans, span.spanId)]);
}

it('exports the spans of an operation and its REST calls, below the span of the client', async () => {
  const { url, close, collector, upstream } = await start();
  await postQuery(url, twice, { headers: sampled });
  await close();
  const spans = await collector.spans(3);
  expect(treeOf(spans, 'b7ad6b7169203331')).toEqual([['query', ['GET /v1/health'], ['GET /v1/site/{id}']]]);
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(collector.resources[0]).toEqual({
    'service.name': 'portico',
    'service.version': version,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': expect.stringMatching(/^\d/),
  });
  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/x-protobuf' },
  });
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [call] = named('GET /v1/site/{id}');
  expect(call).toMatchObject({
    kind: 3,
    attributes: {
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(upstream.url).port),
      'url.full': `${upstream.url}/v1/site/{id}?include=projects`,
      'url.template': '/v1/site/{id}?include=projects',
      'http.response.status_code': 200,
    },
  });
  expect(named('query')[0]).toMatchObject({
    kind: 2,
    status: 0,
    attributes: {
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Twice',
      'portico.outcome': 'ok',
      'portico.codes': [],
      'http.response.status_code': 200,
    },
  });
  for (const { startNano, endNano } of spans) expect(endNano).toBeGreaterThanOrEqual(startNano);
});

it('exports the span of a live query', async () => {
  const { url, close, collector, logged } = await start({ LIVE: 'on' });
  const stream = await openLive(url, 'subscription Board { live { site(id: "SITE-1") { id } } }');
  await stream.received(1);
  stream.close();
  const [line] = await logged('operation');
  await close();
  expect(line).toMatchObject({ stream: true });
  const [span] = await collector.spans(1);
  expect(span).toMatchObject({
    name: 'subscription',
    attributes: { 'graphql.operation.type': 'subscription', 'portico.outcome': 'ok' },
  });
});

it('marks failures, and has a span for each call that is sent', async () => {
  const { url, close, collector } = await start({ CACHE_TTL_MS: '60000', retryPercent: 100 });
  await postQuery(url, '{ site(id: "SITE-503") { id } }');
  // The second time from the cache, and on the fast path.
  await postQuery(url, 'query Kept { site(id: "SITE-1") { id } }');
  await postQuery(url, 'query Kept { site(id: "SITE-1") { id } }');
  await close();
  const spans = await collector.spans(6);
  const calls = spans.filter(({ name }) => name === 'GET /v1/site/{id}');
  const told = ['error.type', 'http.request.resend_count'];
  expect(
    calls.map(({ kind, status, attributes }) => [kind, status, ...told.map((name) => attributes[name])]),
  ).toEqual([
    [3, 2, '503', undefined],
    [3, 2, '503', 1],
    [3, 0, undefined, undefined],
  ]);
  expect(spans.find(({ name }) => name === 'query')).toMatchObject({
    status: 2,
    attributes: {
      'portico.outcome': 'partial',
      'portico.codes': ['UPSTREAM_UNAVAILABLE'],
      'error.type': 'UPSTREAM_UNAVAILABLE',
    },
  });
});

it('propagates the trace to the REST API only where configured', async () => {
  const silent = await start();
  await postQuery(silent.url, '{ site(id: "SITE-1") { id } }', { headers: sampled });
  await silent.close();
  expect(silent.upstream.requests[0]?.headers).not.toHaveProperty('traceparent');

  const telling = await start({ OTEL_PROPAGATE_UPSTREAM: 'on' });
  await postQuery(telling.url, '{ site(id: "SITE-1") { id } }', {
    headers: { ...sampled, tracestate: 'a=b', baggage: 'c=d' },
  });
  await postQuery(telling.url, '{ site(id: "SITE-1") { id } }', { headers: unsampled });
  await telling.close();
  const call = (await telling.collector.spans(2)).find(({ kind }) => kind === 3);
  const [first, second] = telling.upstream.requests.map(({ headers }) => headers);
  expect(first?.traceparent).toBe(`00-${traceId}-${call?.spanId}-01`);
  expect(first).not.toHaveProperty('tracestate');
  expect(first).not.toHaveProperty('baggage');
  expect(second?.traceparent).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`));
});

it('follows the sampling decision of the client, else the share of OTEL_TRACES_SAMPLER_ARG', async () => {
  vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', '0');
  const { url, close, collector, logged } = await start();
  await postQuery(url, '{ __typename }');
  await postQuery(url, '{ __typename }', { headers: unsampled });
  await postQuery(url, '{ __typename }', { headers: { traceparent: 'nonsense' } });
  await postQuery(url, '{ __typename }', { headers: sampled });
  const lines = await logged('operation', 4);
  await close();
  expect(lines.map((line) => line.traceId)).toEqual([undefined, undefined, undefined, traceId]);
  expect(await collector.spans(1)).toHaveLength(1);
});

it('has the name of a trusted document alone in that of a span', async () => {
  const { path } = await writeManifest({ a: 'query Known { __typename }' });
  const { url, close, collector } = await start({ TRUSTED_DOCUMENTS: path });
  await postOperation(url, { documentId: 'a' });
  await postOperation(url, 'query Invented { __typename }');
  await close();
  expect((await collector.spans(2)).map(({ name }) => name)).toEqual(['query Known', 'query']);
});

it.each(['is gone', 'does not respond'])(
  'serves requests, and exits, while the collector %s',
  async (state) => {
    const upstream = await startUpstream((_, res) => sendJson(res, bareSite('SITE-1')));
    // In place of a collector, a server that never responds.
    const silent = await startUpstream(() => {});
    const endpoint = state === 'is gone' ? 'http://127.0.0.1:9' : silent.url;
    const env = { PORT: '0', UPSTREAM_URL: upstream.url, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const main = await startProcess('main.ts', env);
    const [, url = ''] = await main.printed(/ready at (\S+)\n/);
    // More spans than a batch has, so that the first is sent before the exit.
    const spans = endpoint === silent.url ? 200 : 1;
    const send = () => postQuery(url, '{ site(id: "SITE-1") { id } }');
    for (let n = 0; n < spans; n += 1) expect(await send()).toMatchObject({ status: 200 });
    if (endpoint === silent.url) await silent.received(1);
    expect(await send()).toMatchObject({ status: 200 });
    main.kill('SIGTERM');
    const { code, stderr } = await main.exit();
    expect(code).toBe(0);
    expect(stderr).toContain('traces were dropped');
  },
);

it('has no part of a key in a span, wherever the client sends it', async () => {
  const collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  const { close } = await openWithCanary({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await close();
  const sent = collector.requests.map(({ bytes }) => `${bytes.toString('latin1')}${bytes.toString('hex')}`);
  expect(sent.length).toBeGreaterThan(0);
  expect(leaksOf(canary, sent.join('\n'))).toEqual([]);
});
