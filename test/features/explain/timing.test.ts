import { expect, it } from 'vitest';
import { openBrowser, withChromium } from '../../support/browser.ts';
import { createGate } from '../../support/gate.ts';
import {
  apiKey,
  type GraphqlResponse,
  postQuery,
  type QueryOptions,
  startBoth,
  startGateway,
} from '../../support/gateway.ts';
import { incrementalFormats, postForParts } from '../../support/incremental.ts';
import { openLive } from '../../support/live.ts';
import { bareSite, type Script, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const reported = { 'x-explain': 'report' };

/** A REST API that has everything. */
const sendAny: Script = (req, res) => {
  const path = req.url ?? '';
  if (path.includes('/conversation/')) return sendJson(res, { id: conversation, subject: 'Leak', sites: [] });
  if (path.includes('/health')) return sendJson(res, {});
  const { id } = siteFromPath(path);
  return sendJson(res, { ...bareSite(id), city: 'Bend', clients: [], projects: [] });
};

type Calls = NonNullable<NonNullable<GraphqlResponse['extensions']>['upstream']>['calls'];

/** The metrics of a response, and that of the whole operation. */
function metricsOf({ headers }: { headers: Headers }) {
  const metrics = headers.get('server-timing')?.split(', ') ?? [];
  return { calls: metrics.slice(0, -1), total: metrics.at(-1) };
}

/** The same with `dur=0`, in alphabetical order: no two durations are equal. */
function namesOf(response: { headers: Headers }): string[] {
  return metricsOf(response)
    .calls.map((metric) => metric.replace(/dur=\d+\.\d/, 'dur=0'))
    .sort();
}

/** The metrics that a report of the same response makes. */
function metricsFrom(calls: Calls): string[] {
  const endpoints = [/\/(site)\/\S+(include=.*)/, /\/(site|conversation|health)/];
  return calls
    .sort((one, other) => other.durationMs - one.durationMs)
    .map(({ path, durationMs }) => {
      const [, name, include] = endpoints.flatMap((endpoint) => endpoint.exec(path) ?? []);
      return `${name};dur=${durationMs.toFixed(1)}${include?.startsWith('include') ? `;desc="${include}"` : ''}`;
    });
}

const ids = ['SITE-1', 'SITE-a/b?include=projects', 'SITE-",;x'];
const fields = `conversationContext(id: "${conversation}") { subject } health { statusCode }
  sites(ids: ${JSON.stringify(ids)}) { city clients { id } } site(id: "SITE-2") { city }
  both: site(id: "SITE-3") { clients { id } projects { id } }`;

it('lists each call with its endpoint, its duration and its relations', async () => {
  const { upstream, gateway } = await startBoth({}, sendAny);
  for (let n = 1; n <= 3; n += 1) {
    const response = await postQuery(gateway.url, `{ ${fields} }`, { headers: reported });
    expect(upstream.requests).toHaveLength(7 * n);
    const { calls, total } = metricsOf(response);
    expect(calls).toEqual(metricsFrom(response.extensions?.upstream?.calls ?? []));
    expect(total).toMatch(/^total;dur=\d+\.\d$/);
    expect(namesOf(response)).toEqual([
      'conversation;dur=0',
      'health;dur=0',
      'site;dur=0',
      ...ids.map(() => 'site;dur=0;desc="include=clients"'),
      'site;dur=0;desc="include=clients,projects"',
    ]);
  }
});

it('lists the ten slowest calls, the slowest first, and the sum of the others', async () => {
  const { upstream, gateway } = await startBoth({}, sendAny);
  const sitesOf = (count: number) => JSON.stringify(Array.from({ length: count }, (_, n) => `SITE-${n}`));
  const others: unknown[] = [];
  for (const count of [10, 11, 17]) {
    upstream.requests.length = 0;
    const query = `{ sites(ids: ${sitesOf(count)}) { city } }`;
    const response = await postQuery(gateway.url, query, { headers: reported });
    expect(upstream.requests).toHaveLength(count);
    const made = response.extensions?.upstream?.calls ?? [];
    const { calls } = metricsOf(response);
    expect(calls.slice(0, 10)).toEqual(metricsFrom(made).slice(0, 10));
    const sum = made.slice(10).reduce((all, { durationMs }) => all + durationMs, 0);
    others.push(...calls.slice(10).map((metric) => metric.replace(`dur=${sum.toFixed(1)}`, 'dur=sum')));
  }
  expect(others).toEqual(['more;dur=sum;desc="1 call"', 'more;dur=sum;desc="7 calls"']);
});

it('says where a response came from, if not from the network', async () => {
  const gate = createGate();
  const { upstream, gateway } = await startBoth({ CACHE_TTL_MS: '60000' }, async (req, res) => {
    if (req.url?.includes('/site/')) await gate.promise;
    sendAny(req, res);
  });
  const site = 'site(id: "SITE-1") { clients { id } }';
  const first = postQuery(gateway.url, `{ ${site} }`);
  await upstream.received(1);
  const second = postQuery(gateway.url, `{ ${site} health { statusCode } }`);
  await upstream.received(2);
  gate.open();
  const responses = [await first, await second, await postQuery(gateway.url, `{ ${site} }`)];
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1?include=clients', '/v1/health']);
  expect(responses.map(namesOf)).toEqual([
    ['site;dur=0;desc="include=clients"'],
    ['health;dur=0', 'site;dur=0;desc="include=clients; coalesced"'],
    ['site;dur=0;desc="include=clients; cache"'],
  ]);
});

it('in production lists calls only where x-explain is timing', async () => {
  const { upstream, gateway } = await startBoth({ NODE_ENV: 'production' }, sendAny);
  const query = '{ site(id: "SITE-1") { clients { id } } }';
  const found: unknown[] = [];
  for (const word of ['timing', 'report', '']) {
    const response = await postQuery(gateway.url, query, { headers: { 'x-explain': word } });
    found.push([word, namesOf(response), response.extensions !== undefined]);
  }
  expect(upstream.requests).toHaveLength(3);
  expect(found).toEqual([
    ['timing', ['site;dur=0;desc="include=clients"'], false],
    ['report', [], true],
    ['', [], false],
  ]);
});

it.each(incrementalFormats)('lists the calls before the first part: %s', async (accept) => {
  const { upstream, gateway } = await startBoth({}, sendAny);
  const query = '{ site(id: "SITE-1") { city ... @defer { clients { id } } } }';
  const response = await postForParts(gateway.url, query, { accept });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1?include=clients']);
  expect(namesOf(response)).toEqual(['site;dur=0']);
});

it('lists the calls of an operation that failed', async () => {
  const { upstream, gateway } = await startBoth({ retryPercent: 0 }, (_, res) => sendJson(res, {}, 403));
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { city } }');
  expect(response.status).toBe(403);
  expect(namesOf(response)).toEqual(upstream.paths().map(() => 'site;dur=0'));
});

it.each<[string, number, string, QueryOptions]>([
  ['that makes no call', 200, '{ __typename }', {}],
  ['that is planned', 200, '{ health { reachable } }', { headers: { 'x-explain': 'plan' } }],
  ['that is invalid', 200, '{ nothing }', {}],
  [
    'with an unknown word in x-explain',
    400,
    '{ health { reachable } }',
    { headers: { 'x-explain': 'time' } },
  ],
  ['without a key', 403, '{ health { reachable } }', { key: null }],
])('has no field for an operation %s', async (_, status, query, options) => {
  const { upstream, gateway } = await startBoth({}, sendAny);
  const response = await postQuery(gateway.url, query, options);
  expect(upstream.requests).toEqual([]);
  expect(response.status).toBe(status);
  expect(response.headers.get('server-timing')).toBeNull();
});

it('has no field for a live query, whose polls are for all of its streams', async () => {
  const { upstream, gateway } = await startBoth({}, sendAny);
  const stream = await openLive(gateway.url, 'subscription { live { site(id: "SITE-1") { city } } }');
  expect(await stream.received(1)).toMatchObject([{ data: { live: { site: { city: 'Bend' } } } }]);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
  expect(stream.headers.get('server-timing')).toBeNull();
});

withChromium('is read by a page of another origin, if CORS_ORIGINS lists it', async () => {
  const pages = await startUpstream((_, res) =>
    res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  );
  const upstream = await startUpstream(sendAny);
  const query = '{ site(id: "SITE-1") { clients { id } } }';
  const found: unknown[] = [];
  for (const listed of [pages.url, 'https://another.example']) {
    const { url } = await startGateway(upstream.url, { CORS_ORIGINS: listed });
    const { page } = await openBrowser(pages.url, {});
    await page.route(url, (route) => route.continue());
    await page.goto(pages.url);
    found.push(await page.evaluate(timingIn, { url, apiKey, query }));
  }
  expect(upstream.paths()).toEqual(found.map(() => '/v1/site/SITE-1?include=clients'));
  const duration = expect.any(Number);
  expect(found).toEqual([
    [
      { name: 'site', duration, description: 'include=clients' },
      { name: 'total', duration, description: '' },
    ],
    [],
  ]);
});

/** Sends the query from a page, and returns what its timing entry has. */
async function timingIn({ url, apiKey, query }: { url: string; apiKey: string; query: string }) {
  const entered = new Promise<PerformanceResourceTiming>((resolve) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntriesByName(url)) resolve(entry as PerformanceResourceTiming);
    });
    observer.observe({ type: 'resource' });
  });
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  // A page of an origin that is not listed reads no response, and has an entry for it nevertheless.
  await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) }).then(
    (response) => response.text(),
    () => {},
  );
  const { serverTiming } = await entered;
  return serverTiming.map(({ name, duration, description }) => ({ name, duration, description }));
}
