import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { codes, postQuery, startGateway } from '../../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';
import { expectFiring, hasPromtool, type Series } from './promtool.ts';
import { type Sample, startScrape } from './scrape.ts';

const target = 'job="monitoring/portico",instance="10.0.0.1:9090"';
const isUp: Series = { [`up{${target}}`]: '1x120' };

/** A series as Prometheus stores it. */
function nameOf({ name, labels }: Sample): string {
  return `${name}{${[target, ...Object.entries(labels).map(([label, value]) => `${label}="${value}"`)].join(',')}}`;
}

/** Half an hour in which counters rise as between these scrapes, and all else stays as in the second. */
function seriesOf(before: readonly Sample[], after: readonly Sample[]): Series {
  const first = new Map(before.map((sample) => [nameOf(sample), sample.value]));
  const series = after.map((sample): [string, string] => {
    const { name, value } = sample;
    const earlier = first.get(nameOf(sample));
    if (earlier === undefined) return [nameOf(sample), `_x40 ${value}x80`];
    // `nodejs_active_handles_total` and its like are gauges, which may fall.
    const isCounter = /_(total|bucket|count|sum)$/.test(name) && !name.startsWith('nodejs_active_');
    return [nameOf(sample), isCounter ? `0+${value - earlier}x120` : `${value}x120`];
  });
  return { ...isUp, ...Object.fromEntries(series) };
}

/** The metrics of a gateway with operations for which the REST API responds with `respond`. */
async function seriesFor(respond: (res: ServerResponse, id: string) => void) {
  const upstream = await startUpstream((req, res) => respond(res, siteFromPath(req.url ?? '').id));
  const gateway = await startGateway(upstream.url, { ADMIN_PORT: '0', retryPercent: 0 });
  const { url, logged } = gateway;
  const scrape = startScrape(gateway);
  const send = (n: number) => postQuery(url, `{ site(id: "SITE-${n}") { id city } }`);
  const responses = [await send(0)];
  await logged('operation', 1);
  const before = await scrape.samples();
  for (let n = 1; n < 20; n += 1) responses.push(await send(n));
  await logged('operation', 20);
  expect(upstream.requests.length).toBeGreaterThan(0);
  return { series: seriesOf(before, await scrape.samples()), codes: new Set(responses.flatMap(codes)) };
}

describe.skipIf(!hasPromtool)('the alerts', () => {
  it('do not fire while everything works', async () => {
    const { series, codes } = await seriesFor((res, id) => sendJson(res, bareSite(id)));
    expect([...codes]).toEqual([]);
    expectFiring(series, []);
  });

  it('fire where the REST API responds with HTML', async () => {
    const { series, codes } = await seriesFor((res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
    );
    expect([...codes]).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expectFiring(series, ['PorticoUpstreamInvalid']);
  });

  it.each<[number, string[]]>([
    [500, ['PorticoUpstreamDown', 'PorticoUpstreamFailing']],
    [403, ['PorticoKeysRejected']],
    [429, ['PorticoRateLimited']],
  ])('fire for a REST API that responds with %i', async (status, alerts) => {
    const { series } = await seriesFor((res) => sendJson(res, {}, status, { 'retry-after': '60' }));
    expectFiring(series, alerts);
  });

  it('fire for the first value of a field that differs from the contract', async () => {
    const { series } = await seriesFor((res, id) =>
      sendJson(res, { ...bareSite(id), ...(id === 'SITE-7' && { city: 7 }) }),
    );
    expectFiring(series, ['PorticoDrift']);
  });

  it('fire for an unreachable gateway, and for a missing target', () => {
    expectFiring({ [`up{${target}}`]: '0x120' }, ['PorticoDown']);
    expectFiring({ 'up{job="node"}': '1x120' }, ['PorticoAbsent']);
  });

  const overloaded = `portico_operation_errors_total{${target},code="OVERLOADED"}`;
  const operations = `portico_operations_total{${target},operation="Named",outcome="ok"}`;
  const rateLimited = `portico_operation_errors_total{${target},code="RATE_LIMITED"}`;
  const rateLimitedKeys = `portico_rate_limited_keys{${target}}`;
  const breaker = `portico_breaker_open{${target}}`;
  const sunset = `portico_upstream_sunset_timestamp_seconds{${target}}`;
  const dropped = `portico_log_lines_dropped_total{${target}}`;

  it.each<[string, Series, string[]]>([
    ['two overloaded operations three minutes apart', { [overloaded]: '0x51 1x11 2x80' }, []],
    [
      'one operation in a thousand that is overloaded',
      { [overloaded]: '0+15x120', [operations]: '0+15000x120' },
      [],
    ],
    [
      'one operation in twenty that is overloaded',
      { [overloaded]: '0+15x120', [operations]: '0+300x120' },
      ['PorticoOverloaded'],
    ],
    ['a key that is rate-limited once', { [rateLimited]: '0x75 3x60' }, []],
    [
      'a key that is rate-limited for a part of each minute',
      { [rateLimited]: minutes((n) => `${n}x3`), [rateLimitedKeys]: minutes(() => '1 0x2') },
      ['PorticoRateLimited'],
    ],
    ['a breaker that was open for half a minute', { [breaker]: '0x75 1 1 0x50' }, []],
    [
      'a breaker that is open for a third of each minute',
      { [breaker]: minutes(() => '1 0x2') },
      ['PorticoUpstreamDown'],
    ],
    ['a REST API that ends in 61 days', { [sunset]: `${61 * 86_400 + 7200}x120` }, []],
    ['a REST API that ends in 59 days', { [sunset]: `${59 * 86_400}x120` }, ['PorticoUpstreamSunset']],
    ['a log that was lost for a moment', { [dropped]: '0x70 12x50' }, ['PorticoLogLost']],
  ])('are right for %s', (_, series, alerts) => {
    expectFiring({ ...isUp, [operations]: '0+10x120', ...series }, alerts);
  });
});

function minutes(valuesOf: (minute: number) => string): string {
  return Array.from({ length: 30 }, (_, minute) => valuesOf(minute)).join(' ');
}
