import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { type GraphqlResponse, postQuery, startBoth, startGateway } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { openLive } from '../../support/live.ts';
import { startReference } from '../../support/reference.ts';
import { type Script, sendSite, siteFromPath } from '../../support/upstream.ts';

const key = demoKeys.acme;
const reported = { 'x-explain': 'report' };

/** The header fields of a response that come from the REST API. */
function fieldsOf({ headers }: { headers: Headers }): Record<string, string> {
  const names = ['ratelimit', 'ratelimit-policy', 'deprecation', 'sunset'];
  return Object.fromEntries([...headers].filter(([name]) => names.includes(name)));
}

/** Sends a site with these header fields. */
function sayingOf(fieldsFor: (apiKey: string, id: string) => Record<string, string | string[]>): Script {
  return (req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    sendSite(req, res, {}, 200, fieldsFor(String(req.headers['x-api-key']), id));
  };
}

const rateLimit = (remaining: number) => ({
  ratelimit: `"key";r=${remaining};t=41`,
  'ratelimit-policy': '"key";q=100;w=60',
});

/** The same on the full pipeline, which executes what the fast path does not. */
const queries = {
  fast: '{ site(id: "SITE-1001") { city } }',
  full: '{ site(id: "SITE-1001") { city } __schema { __typename } }',
};

it.each(Object.entries(queries))('counts down to a 429 what is left to the key: %s', async (_, query) => {
  const reference = await startReference({ rateLimit: { limit: 3, windowS: 60 } });
  const gateway = await startGateway(reference.url, { CORS_ORIGINS: 'https://partner.example' });
  const headers = { ...reported, origin: 'https://partner.example' };
  const left: unknown[] = [];
  for (let n = 0; n < 4; n += 1) {
    const response = await postQuery(gateway.url, query, { key, headers });
    const { quota } = response.extensions?.upstream ?? {};
    const { resetSeconds: seconds } = quota ?? {};
    expect(quota).toEqual({
      remaining: Math.max(2 - n, 0),
      limit: 3,
      windowSeconds: 60,
      resetSeconds: expect.any(Number),
    });
    expect(fieldsOf(response)).toEqual({
      ratelimit: `"default";r=${quota?.remaining};t=${seconds}`,
      'ratelimit-policy': '"default";q=3;w=60',
    });
    expect(response.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['ratelimit', 'ratelimit-policy', 'deprecation', 'sunset']),
    );
    left.push([response.status, quota?.remaining]);
  }
  expect(reference.paths).toHaveLength(4);
  expect(left).toEqual([
    [200, 2],
    [200, 1],
    [200, 0],
    [429, 0],
  ]);
});

it('says nothing where the REST API says nothing, and of data from the cache', async () => {
  const { upstream, gateway } = await startBoth(
    { CACHE_TTL_MS: '60000' },
    sayingOf((_, id) => (id === 'SITE-1' ? {} : rateLimit(5))),
  );
  const left: unknown[] = [];
  for (const id of ['SITE-1', 'SITE-2', 'SITE-2']) {
    const response = await postQuery(gateway.url, `{ site(id: "${id}") { id } }`, { headers: reported });
    left.push([fieldsOf(response).ratelimit, response.extensions?.upstream?.quota?.remaining]);
  }
  expect(upstream.requests).toHaveLength(2);
  expect(left).toEqual([
    [undefined, undefined],
    ['"default";r=5;t=41', 5],
    [undefined, undefined],
  ]);
});

it('tells each key its own number, whatever is joined or cached', async () => {
  const keys = Array.from({ length: 20 }, (_, n) => `partner-key-number-${n}`);
  /** Until each key has asked for each site. */
  let all: Promise<void> | undefined;
  const say = sayingOf((apiKey) => rateLimit(keys.indexOf(apiKey)));
  const { upstream, gateway } = await startBoth({ CACHE_TTL_MS: '60000' }, (req, res) => {
    all ??= upstream.received(60);
    void all.then(() => say(req, res));
  });
  const sent = Array.from({ length: 400 }, (_, n) => ({ key: keys[n % 20] ?? '', id: `SITE-${n % 3}` }));
  const responses = await Promise.all(
    sent.map(({ key, id }) =>
      postQuery(gateway.url, `{ site(id: "${id}") { id } }`, { key, headers: reported }),
    ),
  );
  let told = 0;
  for (const [n, response] of responses.entries()) {
    const sources = response.extensions?.upstream?.calls.map(({ source }) => source);
    const { ratelimit } = fieldsOf(response);
    expect(ratelimit).toBe(sources?.[0] === 'cache' ? undefined : `"default";r=${n % 20};t=41`);
    if (ratelimit) told += 1;
  }
  expect(upstream.requests).toHaveLength(60);
  expect(told, 'some have joined a call').toBeGreaterThan(60);
});

it('reports it with the last part of a response in parts', async () => {
  const { gateway } = await startBoth(
    {},
    sayingOf((_, id) => rateLimit(Number(id.slice(5)))),
  );
  const { parts } = await postForParts(
    gateway.url,
    '{ site(id: "SITE-4") { id ... @defer { clients { id } } } }',
    { headers: reported },
  );
  const quotas = parts.map(
    ({ extensions }) => (extensions as GraphqlResponse['extensions'])?.upstream?.quota?.remaining,
  );
  expect(quotas).toEqual([undefined, 4]);
});

it('is in each event of a live query, and is no event by itself', async () => {
  const state = { city: 'Bend', left: 90 };
  const { upstream, gateway } = await startBoth({ LIVE: 'on', LIVE_INTERVAL_S: '1' }, (req, res) => {
    state.left -= 1;
    sendSite(req, res, { city: state.city }, 200, rateLimit(state.left));
  });
  const stream = await openLive(gateway.url, 'subscription { live { site(id: "SITE-1") { city } } }');
  await stream.received(1);
  await upstream.received(3);
  expect(stream.events).toHaveLength(1);
  state.city = 'Salem';
  const events = await stream.received(2);
  const quotas = events.map((event) => event !== 'complete' && event.extensions);
  expect(quotas[0]).toEqual({ quota: { remaining: 89, limit: 100, windowSeconds: 60, resetSeconds: 41 } });
  expect(quotas[1]).toMatchObject({ quota: { remaining: expect.any(Number) } });
  expect(stream.headers.get('ratelimit')).toBe('"default";r=89;t=41');
});

it('passes on that the REST API is deprecated, and tells the operator once a day', async () => {
  const [since, sunset] = ['2026-01-01', '2026-12-31'].map((day) => new Date(`${day}T00:00:00Z`)) as [
    Date,
    Date,
  ];
  const reference = await startReference({ deprecation: { date: since, sunset } });
  const gateway = await startGateway(reference.url);
  const end = () => gateway.gauge('portico_upstream_sunset_timestamp_seconds');
  expect(end()).toBe(0);
  for (const query of Object.values(queries)) {
    const response = await postQuery(gateway.url, query, { key, headers: reported });
    expect(fieldsOf(response)).toMatchObject({ deprecation: '@1767225600', sunset: sunset.toUTCString() });
    const said = { since: since.toISOString(), sunset: sunset.toISOString() };
    expect(response.extensions?.upstream?.deprecation).toEqual(said);
    expect(await gateway.logged('deprecation', 1)).toMatchObject([{ level: 'warn', ...said }]);
  }
  expect(end()).toBe(sunset.getTime() / 1000);
});
