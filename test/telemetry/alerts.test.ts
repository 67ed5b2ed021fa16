import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { codes, postQuery, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { evaluate, type Sample, type Scrapes } from './promql.ts';
import { startScrape } from './scrape.ts';

const file = resolve(import.meta.dirname, '../../deploy/alerts/portico.yaml');
const { groups } = parse(readFileSync(file, 'utf8')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};

/** The alerts that depend on the speed of the machine. */
const ofTheMachine = ['PorticoUpstreamSlow', 'PorticoEventLoopSlow', 'PorticoMemoryHigh'];

/** The names of the alerts that fire if the state persists. */
function firing(scrapes: Scrapes): string[] {
  const rules = groups.flatMap(({ rules }) => rules);
  const results = rules.map(({ alert, expr }) => ({ alert, result: evaluate(expr, scrapes) }));
  return results
    .filter(({ alert, result }) => !ofTheMachine.includes(alert) && (result as unknown[]).length > 0)
    .map(({ alert }) => alert);
}

/** A scrape as Prometheus stores it. */
function stored(samples: readonly Sample[], up = 1): Sample[] {
  const target = { job: 'monitoring/portico', instance: '10.0.0.1:9090' };
  const all = [{ name: 'up', labels: {}, value: up }, ...samples];
  return all.map(({ labels, ...sample }) => ({ ...sample, labels: { ...labels, ...target } }));
}

/** Two scrapes, and operations between them for which the REST API responds with `respond`. */
async function scrapesAround(respond: (res: ServerResponse, id: string) => void) {
  const upstream = await startUpstream((req, res) => respond(res, siteFromPath(req.url ?? '').id));
  const { url, metrics, logged } = await startGateway(upstream.url, { ADMIN_PORT: '0', RETRY_PERCENT: '0' });
  const scrape = await startScrape(metrics);
  const send = (n: number) => postQuery(url, `{ site(id: "SITE-${n}") { id city } }`);
  const responses = [await send(0)];
  await logged('operation', 1);
  const before = stored(await scrape.samples());
  for (let n = 1; n < 20; n += 1) responses.push(await send(n));
  await logged('operation', 20);
  expect(upstream.requests.length).toBeGreaterThan(0);
  const after = stored(await scrape.samples());
  return { scrapes: { before, after }, codes: new Set(responses.flatMap(codes)) };
}

it('fires no alert while everything works', async () => {
  const { scrapes, codes } = await scrapesAround((res, id) => sendJson(res, bareSite(id)));
  expect([...codes]).toEqual([]);
  expect(firing(scrapes)).toEqual([]);
});

it.each<[string, (res: ServerResponse) => void]>([
  ['a redirection', (res) => res.writeHead(302, { location: '/sign-in' }).end()],
  ['HTML with 200', (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')],
  ['JSON of another thing', (res) => sendJson(res, [])],
])('fires an alert where the REST API responds with %s', async (_, respond) => {
  const { scrapes, codes } = await scrapesAround(respond);
  expect([...codes]).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  expect(firing(scrapes)).toEqual(['PorticoUpstreamInvalid']);
});

it.each<[number, string[]]>([
  [500, ['PorticoUpstreamDown', 'PorticoUpstreamFailing']],
  [403, ['PorticoKeysRefused']],
  [429, ['PorticoRateLimited']],
])('fires the alerts for a REST API that responds with %i', async (status, alerts) => {
  const { scrapes } = await scrapesAround((res) => sendJson(res, {}, status, { 'retry-after': '60' }));
  expect(firing(scrapes)).toEqual(alerts);
});

it('fires an alert for the first value of a field that differs from the contract', async () => {
  const { scrapes } = await scrapesAround((res, id) =>
    sendJson(res, { ...bareSite(id), ...(id === 'SITE-7' && { city: 7 }) }),
  );
  expect(firing(scrapes)).toEqual(['PorticoDrift']);
});

it('fires an alert for an unreachable gateway, and for a missing target', () => {
  const before = stored([]);
  expect(firing({ before, after: stored([], 0) })).toEqual(['PorticoDown']);
  const other: Sample = { name: 'up', labels: { job: 'node' }, value: 1 };
  expect(firing({ before, after: [other] })).toEqual(['PorticoAbsent']);
});
