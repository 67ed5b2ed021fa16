import { describe, expect, it } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { eventStream, multipart, postForParts } from '../support/incremental.ts';
import { conversation, sendJson, sendSite, siteFromPath } from '../support/upstream.ts';

const forbidden = 'The REST API rejected this key. Check the key, then its scopes.';
const limited = 'Rate limit exceeded. Retry';

/** An upstream with a status in an id, as SITE-403, and a wait, as SITE-429-30; `relations`: of calls with any. */
const start = ({ relations = 200 } = {}) =>
  startBoth({}, (req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    const [, text = '', wait] = /^SITE-([45]\d\d)(?:-(.+))?$/.exec(id) ?? [];
    const status = include.length > 0 ? relations : Number(text || 200);
    const headers = wait === undefined ? {} : { 'retry-after': wait };
    sendSite(req, res, {}, status, headers);
  });

describe('in one response', () => {
  it.each([
    ['{ site(id: "SITE-403") { id } }', 1],
    ['{ sites(ids: ["SITE-403", "SITE-401", "SITE-403"]) { id } }', 2],
    ['{ a: site(id: "SITE-403") { id } b: site(id: "OTHER-1") { id } __typename }', 1],
  ])('rejects %s as a whole: every call got 401 or 403', async (query, calls) => {
    const { upstream, gateway } = await start();
    const response = await postQuery(gateway.url, query);
    expect(upstream.requests).toHaveLength(calls);
    expect(response.status).toBe(403);
    expect(response).not.toHaveProperty('data');
    expect(response.errors).toEqual([{ message: forbidden, extensions: { code: 'FORBIDDEN' } }]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each<[string, number | undefined]>([
    ['{ site(id: "SITE-429") { id } }', undefined],
    ['{ sites(ids: ["SITE-429-5", "SITE-429-30", "SITE-429", "SITE-429-7"]) { id } }', 30],
    ['{ a: site(id: "SITE-429-5") { id } b: site(id: "OTHER-1") { id } }', 5],
  ])('rejects %s as a whole, with the longest Retry-After: %s', async (query, wait) => {
    const { gateway } = await start();
    const response = await postQuery(gateway.url, query);
    expect(response.status).toBe(429);
    expect(response).not.toHaveProperty('data');
    expect(response.headers.get('retry-after')).toBe(wait === undefined ? null : String(wait));
    expect(response.errors).toEqual([
      {
        message: `${limited} ${wait === undefined ? 'later' : `in ${wait} s`}.`,
        extensions: { code: 'RATE_LIMITED', ...(wait !== undefined && { retryAfter: wait }) },
      },
    ]);
  });

  it.each<[string, number, (object | null)[]]>([
    ['["SITE-403", "SITE-1"]', 2, [{ code: 'FORBIDDEN' }, null]],
    ['["SITE-429-9", "SITE-1"]', 2, [{ code: 'RATE_LIMITED', retryAfter: 9 }, null]],
    ['["SITE-403", "SITE-404"]', 2, [{ code: 'FORBIDDEN' }, null]],
    // No call: nothing that the REST API rejected.
    ['["OTHER-1"]', 0, [{ code: 'BAD_USER_INPUT' }]],
    [
      '["SITE-429", "SITE-500", "SITE-1"]',
      3,
      [{ code: 'RATE_LIMITED' }, { code: 'UPSTREAM_UNAVAILABLE' }, null],
    ],
  ])(
    'returns partial data for %s, by %i calls, with the paths of the failed fields',
    async (ids, calls, expected) => {
      const { upstream, gateway } = await start();
      const response = await postQuery(gateway.url, `{ sites(ids: ${ids}) { id } }`);
      expect(upstream.requests).toHaveLength(calls);
      expect(response.status).toBe(200);
      expect(response.headers.get('retry-after')).toBeNull();
      expect(response.data?.sites).toHaveLength(expected.length);
      const failed = expected.flatMap((extensions, index) =>
        extensions ? [{ path: ['sites', index], extensions }] : [],
      );
      expect(response.errors).toMatchObject(failed);
      expect(response.errors).toHaveLength(failed.length);
    },
  );
});

it('returns the conversation whose sites are all rejected', async () => {
  const { upstream, gateway } = await startBoth({}, (req, res) =>
    req.url?.startsWith('/v1/site/')
      ? sendJson(res, {}, 403)
      : sendJson(res, { sites: [{ id: 'SITE-1' }], subject: 's' }),
  );
  const response = await postQuery(
    gateway.url,
    `{ conversationContext(id: "${conversation}") { subject sites { site { id } } } }`,
  );
  expect(upstream.requests).toHaveLength(2);
  expect(response).toMatchObject({
    status: 200,
    data: { conversationContext: { subject: 's', sites: [{ site: null }] } },
  });
  expect(response.errors).toMatchObject([{ path: ['conversationContext', 'sites', 0, 'site'] }]);
});

const deferred = (one: string, two: string) =>
  `{ a: site(id: "${one}") { id } ... @defer { b: site(id: "${two}") { id } } }`;

describe.each([multipart, `${eventStream};incrementalSpec=v0.2`])('in parts to %s', (accept) => {
  it.each([
    ['before anything is deferred', '{ site(id: "SITE-403") { id ... @defer { clients { id } } } }', 1],
    ['with what was deferred', deferred('SITE-403', 'SITE-401'), 2],
    ['when all is deferred', '{ ... @defer { site(id: "SITE-403") { id } } }', 1],
    ['when all is streamed', '{ sites(ids: ["SITE-403", "SITE-401"]) @stream { id } }', 2],
  ])('rejects the operation as a whole %s', async (_, query, calls) => {
    const { upstream, gateway } = await start();
    const { status, headers, parts } = await postForParts(gateway.url, query, { accept });
    expect(upstream.requests).toHaveLength(calls);
    expect(status).toBe(403);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(parts).toEqual([{ errors: [{ message: forbidden, extensions: { code: 'FORBIDDEN' } }] }]);
  });

  it('returns partial data when what is deferred does not fail', async () => {
    const { gateway } = await start();
    const { status, parts } = await postForParts(gateway.url, deferred('SITE-403', 'SITE-1'), { accept });
    expect(status).toBe(200);
    expect(parts).toMatchObject([
      { data: { a: null }, errors: [{ path: ['a'], extensions: { code: 'FORBIDDEN' } }], hasNext: true },
      { incremental: [{ data: { b: { id: 'SITE-1' } } }], hasNext: false },
    ]);
  });

  it('returns partial data when only a deferred relation is rejected', async () => {
    const { upstream, gateway } = await start({ relations: 429 });
    const query = '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }';
    const { status, parts } = await postForParts(gateway.url, query, { accept });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1?include=clients']);
    expect(status).toBe(200);
    expect(parts).toMatchObject([
      { data: { site: { id: 'SITE-1' } } },
      { incremental: [{ data: { clients: null }, errors: [{ path: ['site', 'clients'] }] }] },
    ]);
  });
});

it('sends Retry-After where only the health is read, also while the gate is closed', async () => {
  const { upstream, gateway } = await startBoth({}, (_, res) =>
    sendJson(res, {}, 429, { 'retry-after': '30' }),
  );
  for (const _ of ['now', 'behind the gate']) {
    const response = await postQuery(gateway.url, '{ health { statusCode } }');
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(25);
    expect(response.errors?.[0]?.extensions.retryAfter).toBeGreaterThan(25);
  }
  expect(upstream.requests).toHaveLength(1);
});
