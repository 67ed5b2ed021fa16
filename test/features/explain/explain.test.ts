import { expect, it } from 'vitest';
import type { Report } from '../../../src/features/explain/index.ts';
import { postQuery, startBoth, startGateway } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { bareSite, sendJson, sendSiteOrStatus, startUpstream } from '../../support/upstream.ts';

const headers = { 'x-explain': 'report' };

async function start() {
  const upstream = await startUpstream((req, res) => {
    if (req.url?.includes('SITE-CUT')) res.destroy();
    else sendSiteOrStatus(req, res);
  });
  return { upstream, gateway: await startGateway(`${upstream.url}/base`, { retryPercent: 0 }) };
}

function call(path: string, fields: string[], status: number | null = 200) {
  const times = { startedMs: expect.any(Number), durationMs: expect.any(Number) };
  return { method: 'GET', path, source: 'network', status, ...times, fields };
}

it('reports every call with its path below the base address, its status, its time and its fields', async () => {
  const { upstream, gateway } = await start();
  const response = await postQuery(
    gateway.url,
    `{ sites(ids: ["SITE-1", "SITE-404", "SITE-503", "SITE-CUT", "SITE-a/b", "SITE-1"]) { clients { id } }
      health { statusCode } bad: site(id: "OTHER-1") { id } }`,
    { headers },
  );
  const fields = ['sites', 'sites.clients'];
  const expected = [
    call('/v1/health', ['health']),
    call('/v1/site/SITE-1?include=clients', fields),
    call('/v1/site/SITE-404?include=clients', fields, 404),
    call('/v1/site/SITE-503', ['sites'], 503),
    call('/v1/site/SITE-503?include=clients', fields, 503),
    call('/v1/site/SITE-CUT?include=clients', fields, null),
    call('/v1/site/SITE-a%2Fb?include=clients', fields),
  ];
  expect(upstream.paths().sort()).toEqual(expected.map(({ path }) => `/base${path}`));
  const { calls } = response.extensions?.upstream ?? { calls: [] };
  expect(calls.sort((one, two) => (one.path < two.path ? -1 : 1))).toEqual(expected);
  expect(calls.every(({ durationMs }) => durationMs > 0)).toBe(true);
});

it('reports in each part the calls that ended since the part before', async () => {
  const { upstream, gateway } = await start();
  const { parts } = await postForParts(
    gateway.url,
    '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }',
    { headers },
  );
  expect(upstream.requests).toHaveLength(2);
  expect(parts.map(({ hasNext }) => hasNext)).toEqual([true, false]);
  expect(parts.map(({ extensions }) => extensions)).toEqual([
    { upstream: { calls: [call('/v1/site/SITE-1', ['site'])] } },
    {
      upstream: {
        calls: [call('/v1/site/SITE-1?include=clients', ['site.clients'])],
        budget: { spent: 2, limit: 50 },
      },
    },
  ]);
});

it('reports a retry as a call of its own, with the number of its attempt', async () => {
  const { upstream, gateway } = await startBoth({}, (_, res) =>
    sendJson(res, bareSite('SITE-1'), upstream.requests.length === 1 ? 503 : 200),
  );
  const { extensions } = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', { headers });
  const { calls, budget } = extensions?.upstream ?? { calls: [] };
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1']);
  expect(calls).toEqual([
    call('/v1/site/SITE-1', ['site'], 503),
    { ...call('/v1/site/SITE-1', ['site']), attempt: 2 },
  ]);
  expect(calls[1]?.startedMs).toBeGreaterThanOrEqual(
    (calls[0]?.startedMs ?? 0) + (calls[0]?.durationMs ?? 0),
  );
  expect(budget).toEqual({ spent: 2, limit: 50 });
});

it.each(['plan', 'report'])('bounds the fields that a %s lists for each call', async (word) => {
  const { gateway } = await start();
  const ids = Array.from({ length: 50 }, (_, n) => `"SITE-${n}"`);
  const aliases = Array.from(
    { length: 90 },
    (_, n) => `${n === 0 ? 'a'.repeat(20_000) : `a${n}`}: clients { id }`,
  );
  const query = `{ sites(ids: [${ids}]) { ${aliases.join(' ')} } }`;
  const response = await postQuery(gateway.url, query, { headers: { 'x-explain': word } });
  const extensions = response.extensions as { plan?: Report; upstream?: Report };
  const { calls } = extensions.plan ?? extensions.upstream ?? { calls: [] };
  expect(calls).toHaveLength(50);
  for (const { fields, omittedFields } of calls) {
    expect(fields.slice(0, 2)).toEqual(['sites', `sites.${'a'.repeat(194)}…`]);
    expect(fields.length + (omittedFields ?? 0)).toBe(91);
  }
  expect(JSON.stringify(calls).length).toBeLessThan(40_000);
});

it.each([
  ['with an empty x-explain', 200, { headers: { 'x-explain': '' } }],
  ['to a request without a key', 403, { key: null, headers }],
])('reports nothing %s', async (_, status, options) => {
  const { gateway } = await start();
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', options);
  expect(response.status).toBe(status);
  expect(response).not.toHaveProperty('extensions');
});

it.each(['REPORT', 'report, plan'])('rejects x-explain: %s, and names the valid values', async (word) => {
  const { upstream, gateway } = await start();
  const message = 'The header x-explain must be "plan", "report" or "timing".';
  for (const text of ['{ site(id: "SITE-1") { id } }', '{']) {
    const response = await postQuery(gateway.url, text, { headers: { 'x-explain': word } });
    expect(response.status).toBe(400);
    expect(response.errors).toEqual([{ message, extensions: { code: 'BAD_REQUEST' } }]);
    expect(response.data).toBeUndefined();
  }
  expect(upstream.requests).toHaveLength(0);
});
