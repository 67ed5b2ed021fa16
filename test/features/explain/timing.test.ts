import { expect, it } from 'vitest';
import { createGate } from '../../support/gate.ts';
import { type GraphqlResponse, postQuery, type QueryOptions, startBoth } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { openLive } from '../../support/live.ts';
import { bareSite, conversation, type Script, sendJson, siteFromPath } from '../../support/upstream.ts';

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
  for (let n = 1; n <= 2; n += 1) {
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

it('lists the ten slowest calls, the slowest first', async () => {
  const { upstream, gateway } = await startBoth({}, sendAny);
  const sites = Array.from({ length: 17 }, (_, n) => `SITE-${n}`);
  const query = `{ sites(ids: ${JSON.stringify(sites)}) { city } }`;
  const response = await postQuery(gateway.url, query, { headers: reported });
  expect(upstream.requests).toHaveLength(17);
  const made = response.extensions?.upstream?.calls ?? [];
  expect(metricsOf(response).calls).toEqual(metricsFrom(made).slice(0, 10));
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

it('lists the calls before the first part', async () => {
  const { upstream, gateway } = await startBoth({}, sendAny);
  const query = '{ site(id: "SITE-1") { city ... @defer { clients { id } } } }';
  const response = await postForParts(gateway.url, query);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1?include=clients']);
  expect(namesOf(response)).toEqual(['site;dur=0']);
});

it.each<[string, number, string, QueryOptions]>([
  ['that makes no call', 200, '{ __typename }', {}],
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
