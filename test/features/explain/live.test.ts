import { expect, it } from 'vitest';
import { postQuery, startBoth } from '../../support/gateway.ts';
import { openLive } from '../../support/live.ts';

const multipart = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json';

async function start(settings: Record<string, string>) {
  const { upstream, gateway } = await startBoth({ LIVE: 'on', LIVE_INTERVAL_S: '1', ...settings });
  const explain = (mode: string, text: string) =>
    postQuery(gateway.url, text, { headers: { 'x-explain': mode, accept: multipart } });
  return { upstream, url: gateway.url, explain };
}

it('plans a live query: its calls, and how many they are in a minute', async () => {
  const { upstream, explain } = await start({ LIVE_CALLS_PER_MINUTE: '40' });
  const text = 'subscription { live(every: 3) { sites(ids: ["SITE-1", "SITE-2"]) { city } } }';
  const { extensions } = await explain('plan', text);
  expect(extensions).toMatchObject({
    plan: {
      calls: [{ path: '/v1/site/SITE-1' }, { path: '/v1/site/SITE-2' }],
      live: { everySeconds: 3, callsPerMinute: 40, atMostPerMinute: 40, limitPerMinute: 40 },
    },
  });
  const report = await explain('report', text);
  expect(report.status).toBe(400);
  expect(report.errors?.[0]?.message).toBe(
    'A live query takes no x-max-calls, and no x-explain but x-explain: plan.',
  );
  expect(upstream.paths()).toEqual([]);
});

it('plans a live query that is too expensive, which has no stream', async () => {
  const { upstream, url, explain } = await start({ MAX_UPSTREAM_CALLS: '1' });
  const text = 'subscription { live { sites(ids: ["SITE-1", "SITE-2"]) { city } } }';
  const { extensions } = await explain('plan', text);
  const exceeded = { upstreamCalls: 2, limit: 1, field: 'sites' };
  expect(extensions).toMatchObject({ plan: { exceeded, live: { callsPerMinute: 60 } } });
  expect((await openLive(url, text)).status).toBe(400);
  expect(upstream.paths()).toEqual([]);
});
