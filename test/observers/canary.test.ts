import { expect, it } from 'vitest';
import { logFault } from '../../src/features/logs/log-lines.ts';
import { revealsSecret } from '../../src/secrets.ts';
import { startScrape } from '../features/metrics/scrape.ts';
import { startCollector } from '../features/traces/collector.ts';
import { leaksOf } from '../laws/fuzz/rules.ts';
import { openGateway } from '../support/gateway.ts';
import { createLines } from '../support/lines.ts';
import { measureSlowness } from '../support/slowness.ts';
import { sendJson, startUpstream } from '../support/upstream.ts';
import { bodyOf, send } from '../support/wire.ts';

/** A key that is also sent as a name, a trace id and a part of an id. */
const canary = 'c4a7e1b2c3d4e5f60718293a4b5c6d7e';

it('has no part of a key in any log, metric or trace, wherever the client sends it', async () => {
  const upstream = await startUpstream((req, res) => {
    const status = Number(/SITE-(\d{3})/.exec(req.url ?? '')?.[1] ?? 200);
    sendJson(res, { id: canary, [canary]: canary }, status, { 'x-echo': canary });
  });
  const collector = await startCollector();
  const { url, origin, close, written, metrics, logged } = await openGateway(upstream.url, {
    ADMIN_PORT: '0',
    LOG_LEVEL: 'debug',
    retryPercent: 0,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const scrape = await startScrape(metrics);
  const headers = {
    'x-request-id': canary,
    traceparent: `00-${canary}-${canary.slice(0, 16)}-01`,
    tracestate: `a=${canary}`,
    authorization: `Bearer ${canary}`,
    cookie: canary,
    'x-client-name': canary,
    'x-client-version': canary,
  };
  const documents = [
    `query ${canary} { site(id: "SITE-${canary}") { id } }`,
    `query ${canary} { site(id: "SITE-500${canary}") { id } }`,
    `query ${canary.slice(4, 20)} { health { statusCode } }`,
    `query ${canary} { ${canary} }`,
    `{ "${canary}" }`,
  ];
  // Responses may quote the document to its own client, and are not checked here.
  const post = (body: string) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-api-key': canary },
      body,
    });
  for (const document of documents) {
    for (let n = 0; n < 3; n += 1) await post(bodyOf(document, { variables: { canary } }));
  }
  const type = { 'content-type': 'application/json' };
  await send(origin, { headers: { ...headers, ...type, 'x-api-key': [canary, 'x'] }, body: bodyOf('{ a }') });
  await send(origin, { headers: { ...headers, ...type, 'x-api-key': `${canary} x` }, body: bodyOf('{ a }') });
  await send(origin, { headers: { ...headers, ...type, 'x-api-key': canary }, body: canary });
  await logged('operation', 18);
  const scraped = await scrape.text();
  await close();
  const sent = collector.requests.map(({ bytes }) => `${bytes.toString('latin1')}${bytes.toString('hex')}`);
  expect(sent.length).toBeGreaterThan(0);
  expect(scraped).toContain('portico_operations_total{');
  expect(leaksOf(canary, [...written, scraped, ...sent].join('\n'))).toEqual([]);
});

it('redacts the keys of active requests in the stack of a fault', () => {
  const { logger, lines } = createLines();
  logFault(logger, new Error(`cannot read ${canary.slice(2, 14)}`), ['another-key-at-work', canary]);
  logFault(logger, new Error('cannot read it'), [canary]);
  expect(lines[0]).toBe('fault: [redacted]');
  expect(lines[1]).toContain('cannot read it');
});

it('truncates the stack of a fault, which may quote a request', () => {
  const { logger, lines } = createLines();
  logFault(logger, new Error('x'.repeat(100_000)), []);
  expect(lines[0]?.length).toBeLessThan(8300);
  expect(lines[0]).toMatch(/^fault: Error: x+…$/);
});

it.each([
  ['in capitals', canary.toUpperCase()],
  ['percent-encoded', canary.replaceAll('e', '%65').replaceAll('4', '%2534')],
  ['in part', `x${canary.slice(11, 20)}x`],
])('finds a key in a text %s', (_, text) => {
  expect(revealsSecret(`a ${text} b`, canary)).toBe(true);
});

it('compares a long text with a long key in little time', () => {
  const text = 'aaaaaaaab'.repeat(900);
  const key = 'a'.repeat(16_000);
  const { user, system } = process.cpuUsage();
  expect(revealsSecret(text, key)).toBe(false);
  const cost = process.cpuUsage({ user, system });
  // The product of the lengths would cost over 100 ms.
  expect((cost.user + cost.system) / 1000).toBeLessThan(30 * measureSlowness());
  expect(revealsSecret(text, `${key}b`)).toBe(true);
});
