import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as apollo from '../../examples/live/apollo.ts';
import { createSseLink } from '../../examples/live/apollo-sse.ts';
import * as graphqlSse from '../../examples/live/graphql-sse.ts';
import * as urql from '../../examples/live/urql.ts';
import { createGate } from '../support/gate.ts';
import { apiKey, openGateway, startGateway } from '../support/gateway.ts';
import { sendJson, startCity, startUpstream } from '../support/upstream.ts';
import { untyped } from './untyped.ts';

const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1' };
const query = 'subscription { live(every: 1) { site(id: "SITE-1") { id city } } }';
const site = (city: string) => ({ live: { site: { id: 'SITE-1', city } } });

/** A gateway in front of a REST API with one city, which the test changes. */
async function start() {
  const { state, upstream } = await startCity();
  const gateway = await startGateway(upstream.url, settings);
  return { state, upstream, gateway };
}

it.each(Object.entries({ graphqlSse, apollo, urql }))(
  'the example for %s gets the present state, nothing by heartbeats, and connects again to the next gateway',
  async (_, { watchSite }) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { state, upstream } = await start();
    const first = await openGateway(upstream.url, settings);
    const seen: unknown[] = [];
    const news = new EventTarget();
    const stop = watchSite(first.url, apiKey, 'SITE-1', (data) => {
      seen.push((untyped(data) as { live: { site: { city: string } } }).live.site.city);
      news.dispatchEvent(new Event('data'));
    });
    onTestFinished(stop);
    const next = () => new Promise((resolve) => news.addEventListener('data', resolve, { once: true }));
    await next();
    vi.advanceTimersByTime(25_000);
    await first.drain(10_000);
    state.city = 'Salem';
    await startGateway(upstream.url, { ...settings, PORT: new URL(first.url).port });
    await next();
    expect(seen).toEqual(['Bend', 'Salem']);
  },
);

it('Apollo Client says from the second attempt that it has no connection, until there is one', async () => {
  const { url, requests } = await startUpstream((_, res) => {
    if (requests.length < 3) return res.destroy();
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    return res.write(`event: next\ndata: ${JSON.stringify({ data: site('Bend') })}\n\n`);
  });
  const client = new ApolloClient({ link: createSseLink(url, apiKey), cache: new InMemoryCache() });
  onTestFinished(() => client.stop());
  const events: unknown[] = [];
  const arrived = createGate();
  const subscription = client.subscribe({ query: gql(query) }).subscribe(({ data, error }) => {
    events.push(error ? String(error) : untyped(data));
    if (data) arrived.open();
  });
  onTestFinished(() => subscription.unsubscribe());
  await arrived.promise;
  const again = expect.stringContaining('No connection, trying again.');
  expect(events).toEqual([again, again, site('Bend')]);
});

it('the example for Apollo Client passes the data of an event on beside the error of a site', async () => {
  const { url } = await startUpstream((_, res) => sendJson(res, {}, 500));
  const gateway = await startGateway(url, settings);
  const [data, reported] = [createGate<unknown>(), createGate<unknown>()];
  vi.spyOn(console, 'error').mockImplementation((error) => reported.open(error));
  onTestFinished(() => void vi.restoreAllMocks());
  onTestFinished(apollo.watchSite(gateway.url, apiKey, 'SITE-1', data.open));
  expect(String(await reported.promise)).toContain('unavailable');
  expect(untyped(await data.promise)).toEqual({ live: { site: null } });
});

it.each(Object.entries({ graphqlSse, apollo, urql }))(
  'the example for %s reports a rejected key, a gateway without live queries and a 404 of a proxy, and retries none',
  async (_, { watchSite }) => {
    onTestFinished(() => void vi.restoreAllMocks());
    const reportOf = async (url: string) => {
      const reported = createGate<unknown>();
      vi.spyOn(console, 'error').mockImplementation(reported.open);
      const stop = watchSite(url, apiKey, 'SITE-1', reported.open);
      return String(await reported.promise.finally(stop));
    };
    const { state, upstream, gateway } = await start();
    state.status = 403;
    expect(await reportOf(gateway.url)).toMatch(/FORBIDDEN|rejected this key|403/);
    expect(upstream.requests).toHaveLength(1);
    const { url } = await startGateway(upstream.url, { LIVE: 'off' });
    expect(await reportOf(url)).toContain('live queries need LIVE=on');
    const proxy = await startUpstream((_, res) => {
      res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    });
    expect(await reportOf(proxy.url)).toMatch(/404|Not Found/);
    expect(proxy.requests).toHaveLength(1);
  },
);

it.each([
  ['graphqlSse', 502, graphqlSse],
  ['apollo', 502, apollo],
  ['urql', 503, urql],
])('the example for %s connects again after a %d', async (_, status, { watchSite }) => {
  const again = createGate();
  const { url, requests } = await startUpstream((_, res) => {
    sendJson(res, { errors: [{ message: 'Retry.' }] }, status);
    if (requests.length === 2) again.open();
  });
  onTestFinished(watchSite(url, apiKey, 'SITE-1', () => {}));
  await again.promise;
});
