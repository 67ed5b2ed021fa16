import { expect, it } from 'vitest';
import { apiKey, postQuery, startGateway } from '../support/gateway.ts';
import { eventStream, multipart, postForParts } from '../support/incremental.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

const headers = { 'x-explain': 'report' };

async function start() {
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    if (id === 'SITE-CUT') return res.destroy();
    const status = Number(/^SITE-([45]\d\d)$/.exec(id)?.[1] ?? 200);
    return sendJson(res, { ...bareSite(id), clients: [] }, status);
  });
  return { upstream, gateway: await startGateway(`${upstream.url}/base`, { RETRY_PERCENT: '0' }) };
}

function call(path: string, status: number | null = 200) {
  return { method: 'GET', path, status, durationMs: expect.any(Number), source: 'network' };
}

it('reports every call with its path below the base address, its status and its time', async () => {
  const { upstream, gateway } = await start();
  const response = await postQuery(
    gateway.url,
    `{ sites(ids: ["SITE-1", "SITE-404", "SITE-503", "SITE-CUT", "SITE-a/b", "SITE-1"]) { clients { id } }
      health { statusCode } bad: site(id: "OTHER-1") { id } }`,
    { headers },
  );
  const expected = [
    call('/v1/health'),
    call('/v1/site/SITE-1?include=clients'),
    call('/v1/site/SITE-404?include=clients', 404),
    call('/v1/site/SITE-503', 503),
    call('/v1/site/SITE-503?include=clients', 503),
    call('/v1/site/SITE-CUT?include=clients', null),
    call('/v1/site/SITE-a%2Fb?include=clients'),
  ];
  expect(upstream.paths().sort()).toEqual(expected.map(({ path }) => `/base${path}`));
  const { calls } = response.extensions?.upstream ?? { calls: [] };
  expect(calls.sort((one, two) => (one.path < two.path ? -1 : 1))).toEqual(expected);
  expect(calls.every(({ durationMs }) => durationMs > 0)).toBe(true);
});

it.each([
  [403, 403],
  [429, 429],
])('reports the calls of an operation that is rejected with %i', async (upstreamStatus, status) => {
  const { gateway } = await start();
  const response = await postQuery(gateway.url, `{ site(id: "SITE-${upstreamStatus}") { id } }`, { headers });
  expect(response).toMatchObject({
    status,
    extensions: { upstream: { calls: [call(`/v1/site/SITE-${upstreamStatus}`, upstreamStatus)] } },
  });
});

it('reports an empty list for an operation without calls', async () => {
  const { gateway } = await start();
  expect(await postQuery(gateway.url, '{ __typename }', { headers })).toMatchObject({
    extensions: { upstream: { calls: [] } },
  });
});

it.each([multipart, eventStream])('reports in the last part of %s only', async (accept) => {
  const { upstream, gateway } = await start();
  const { parts } = await postForParts(
    gateway.url,
    '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }',
    { accept, headers },
  );
  expect(upstream.requests).toHaveLength(2);
  expect(parts.map(({ hasNext }) => hasNext)).toEqual([true, false]);
  expect(parts.map(({ extensions }) => extensions)).toEqual([
    undefined,
    {
      upstream: {
        calls: [call('/v1/site/SITE-1'), call('/v1/site/SITE-1?include=clients')],
        budget: { spent: 2, limit: 50 },
      },
    },
  ]);
});

it.each([{}, { 'x-explain': '' }])('reports nothing without x-explain: %j', async (other) => {
  const { gateway } = await start();
  const response = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', { headers: other });
  expect(response).not.toHaveProperty('extensions');
});

it('never shows a key', async () => {
  const { upstream, gateway } = await start();
  const query = '{ sites(ids: ["SITE-1", "SITE-403", "SITE-CUT"]) { id } }';
  const response = await postQuery(gateway.url, query, { headers });
  expect(upstream.requests.map(({ apiKey }) => apiKey)).toEqual([apiKey, apiKey, apiKey]);
  expect(JSON.stringify([response, ...response.headers])).not.toContain(apiKey.slice(0, 9));
});

it('reports nothing to a request without a key', async () => {
  const { gateway } = await start();
  const refused = await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }', { key: null, headers });
  expect(refused.status).toBe(403);
  expect(refused).not.toHaveProperty('extensions');
});

it.each([
  ['yes', 'yes'],
  ['a word in capitals', 'REPORT'],
  ['both words', 'report, plan'],
  ['a word with a parameter', 'plan;q=1'],
  ['9000 letters', 'x'.repeat(9000)],
])('rejects x-explain: %s, and names the valid values', async (_, word) => {
  const { upstream, gateway } = await start();
  const query = '{ site(id: "SITE-1") { id } }';
  // The third execution takes the fast path.
  for (let n = 0; n < 3; n += 1) await postQuery(gateway.url, query);
  const [requests, fastPathOperations] = [upstream.requests.length, gateway.fastPathOperations()];
  expect(fastPathOperations).toBeGreaterThan(0);
  const message = 'The header x-explain must be "plan" or "report".';
  for (const text of [query, '{ nothing }', '{']) {
    const response = await postQuery(gateway.url, text, { headers: { 'x-explain': word } });
    expect(response.status).toBe(400);
    expect(response.errors).toEqual([{ message, extensions: { code: 'BAD_REQUEST' } }]);
    expect(response.data).toBeUndefined();
  }
  const inUrl = `${gateway.url}?${new URLSearchParams({ query })}`;
  expect(await fetch(inUrl, { headers: { 'x-api-key': apiKey, 'x-explain': word } })).toMatchObject({
    status: 400,
  });
  expect(await postQuery(gateway.url, query, { key: null, headers: { 'x-explain': word } })).toMatchObject({
    status: 403,
  });
  expect(upstream.requests).toHaveLength(requests);
  expect(gateway.fastPathOperations()).toBe(fastPathOperations);
});
