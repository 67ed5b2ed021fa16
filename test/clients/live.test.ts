import { resolve } from 'node:path';
import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { build } from 'esbuild';
import { createClient } from 'graphql-sse';
import { Client, fetchExchange } from 'urql';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as apollo from '../../examples/live/apollo.ts';
import { createSseLink } from '../../examples/live/apollo-sse.ts';
import * as graphqlSse from '../../examples/live/graphql-sse.ts';
import * as urql from '../../examples/live/urql.ts';
import { openBrowser, withChromium } from '../support/browser.ts';
import { createGate } from '../support/gate.ts';
import { apiKey, openGateway, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { createApollo, untyped } from './apollo.ts';

const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1' };
const headers = { 'x-api-key': apiKey };
const query = 'subscription { live(every: 1) { site(id: "SITE-1") { id city } } }';
const empty: { live?: { site: unknown } } = {};
const site = (city: string) => ({ live: { site: { id: 'SITE-1', city } } });

interface Sink {
  next(data: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

/** Subscribes, and returns what ends the subscription. */
type Subscribe = (url: string, sink: Sink) => () => void;

function subscribeWith(client: ApolloClient, sink: Sink): () => void {
  const subscription = client.subscribe({ query: gql(query) }).subscribe({
    next: ({ data, error }) => (error ? sink.error(error) : sink.next(untyped(data))),
    error: (error) => sink.error(error),
    complete: () => sink.complete(),
  });
  return () => subscription.unsubscribe();
}

const clients: Record<string, Subscribe> = {
  'graphql-sse': (url, sink) =>
    createClient({ url, headers, retryAttempts: 0 }).subscribe(
      { query },
      {
        next: ({ data }) => sink.next(data),
        error: sink.error,
        complete: sink.complete,
      },
    ),

  'Apollo Client by multipart': (url, sink) => subscribeWith(createApollo(url), sink),

  'Apollo Client with graphql-sse': (url, sink) => {
    const client = new ApolloClient({ link: createSseLink(url, apiKey), cache: new InMemoryCache() });
    onTestFinished(() => client.stop());
    return subscribeWith(client, sink);
  },

  urql(url, sink) {
    const client = new Client({
      url,
      exchanges: [fetchExchange],
      fetchSubscriptions: true,
      fetchOptions: { headers },
      preferGetMethod: false,
    });
    const { unsubscribe } = client.subscription(query, {}).subscribe(({ data, error }) => {
      if (error) sink.error(error);
      else sink.next(untyped(data));
    });
    return unsubscribe;
  },
};

/** A gateway in front of a REST API with one city, which the test changes. */
async function start() {
  const state = { city: 'Bend', status: 200 };
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    sendJson(res, { ...bareSite(id), city: state.city }, state.status);
  });
  const gateway = await startGateway(upstream.url, settings);
  return { state, upstream, gateway };
}

it.each(Object.entries(clients))(
  '%s gets the present state, changes between heartbeats, and no error',
  async (_, subscribe) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { state, gateway } = await start();
    const seen: unknown[] = [];
    const arrived = [createGate(), createGate()];
    const stop = subscribe(gateway.url, {
      next(data) {
        seen.push(data);
        arrived[seen.length - 1]?.open();
      },
      error: (error) => {
        for (const gate of arrived) gate.fail(error as Error);
      },
      complete() {},
    });
    await arrived[0]?.promise;
    vi.advanceTimersByTime(25_000);
    state.city = 'Salem';
    await arrived[1]?.promise;
    stop();
    expect(seen).toEqual([site('Bend'), site('Salem')]);
  },
);

it.each(Object.entries({ graphqlSse, apollo, urql }))(
  'the example for %s gets the present state, and connects again to the next gateway',
  async (_, { watchSite }) => {
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
    await first.drain(10_000);
    state.city = 'Salem';
    await startGateway(upstream.url, { ...settings, PORT: new URL(first.url).port });
    await next();
    expect(seen).toEqual(['Bend', 'Salem']);
  },
);

/** A page in a browser that shows what `useLiveSites` of the example returns, as JSON. */
async function openLiveSites(origin: string, ids: string[]) {
  const contents = `
    import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
    import { ApolloProvider } from '@apollo/client/react';
    import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    import { useLiveSites } from './examples/live/apollo-react.ts';
    const link = new HttpLink({ uri: '/graphql', headers: { 'x-api-key': '${apiKey}' } });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    function Shown() {
      const { data, error } = useLiveSites(${JSON.stringify(ids)});
      const codes = error?.errors.map(({ extensions }) => extensions.code);
      return createElement('p', { id: 'shown' }, JSON.stringify({ data, codes }));
    }
    const root = document.body.appendChild(document.createElement('div'));
    createRoot(root).render(createElement(ApolloProvider, { client }, createElement(Shown)));`;
  const resolveDir = resolve(import.meta.dirname, '../..');
  const { outputFiles } = await build({ stdin: { contents, resolveDir }, bundle: true, write: false });
  const { page } = await openBrowser(origin, { bypassCSP: true });
  await page.goto(`${origin}/livez`);
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  return page;
}

/** Of a REST API that has one of these sites, and fails for the other one. */
const [good, bad] = ['SITE-1', 'SITE-2'] as const;

async function startHalf() {
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    sendJson(res, { ...bareSite(id), city: 'Bend' }, id === good ? 200 : 500);
  });
  return { upstream, gateway: await startGateway(upstream.url, settings) };
}

it('the example for Apollo Client passes the data of an event on beside the error of a site', async () => {
  const { upstream, gateway } = await startHalf();
  const [data, reported] = [createGate<unknown>(), createGate<unknown>()];
  vi.spyOn(console, 'error').mockImplementation((error) => reported.open(error));
  onTestFinished(() => void vi.restoreAllMocks());
  onTestFinished(apollo.watchSite(gateway.url, apiKey, bad, data.open));
  expect(String(await reported.promise)).toContain('unavailable');
  expect(untyped(await data.promise)).toEqual({ live: { site: null } });
  expect(upstream.paths()[0]).toBe(`/v1/site/${bad}`);
});

withChromium(
  'the example for Apollo Client in React shows a site beside the error of another one',
  async () => {
    const { gateway } = await startHalf();
    const page = await openLiveSites(gateway.origin, [good, bad]);
    const shown = page.locator('#shown');
    await expect.poll(() => shown.innerText()).not.toBe('{}');
    expect(untyped(JSON.parse(await shown.innerText()))).toEqual({
      data: { live: { sites: [{ id: good, city: 'Bend' }, null] } },
      codes: ['UPSTREAM_UNAVAILABLE'],
    });
  },
);

it.each(Object.entries({ graphqlSse, apollo, urql }))(
  'the example for %s reports a rejected key, and does not send it again',
  async (_, { watchSite }) => {
    const { state, upstream, gateway } = await start();
    state.status = 403;
    const reported = createGate<unknown>();
    vi.spyOn(console, 'error').mockImplementation((error) => reported.open(error));
    onTestFinished(() => void vi.restoreAllMocks());
    onTestFinished(watchSite(gateway.url, apiKey, 'SITE-1', reported.open));
    expect(String(await reported.promise)).toMatch(/FORBIDDEN|denies access|403/);
    expect(upstream.requests).toHaveLength(1);
  },
);

it.each(Object.entries({ graphqlSse, apollo, urql }))(
  'the example for %s reports that a gateway has no live queries, and a 404 of a proxy',
  async (_, { watchSite }) => {
    onTestFinished(() => void vi.restoreAllMocks());
    const reportOf = (url: string) => {
      const reported = createGate<unknown>();
      vi.spyOn(console, 'error').mockImplementation(reported.open);
      onTestFinished(watchSite(url, apiKey, 'SITE-1', reported.open));
      return reported.promise.then(String);
    };
    const proxy = await startUpstream((_, res) => {
      res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    });
    expect(await reportOf(proxy.url)).toMatch(/404|Not Found/);
    const { url } = await startGateway(proxy.url, { LIVE: 'off' });
    expect(await reportOf(url)).toContain('live queries need LIVE=on');
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

it.each(Object.entries(clients))('%s reports a key that is revoked', async (_, subscribe) => {
  const { state, gateway } = await start();
  const first = createGate();
  const failed = createGate<unknown>();
  subscribe(gateway.url, {
    next: (data) => ((untyped(data) as typeof empty).live?.site ? first.open() : failed.open(data)),
    error: failed.open,
    complete: () => {},
  });
  await first.promise;
  state.status = 403;
  expect(await failed.promise).toBeDefined();
});

// The link above connects again by itself.
it.each(Object.entries(clients).filter(([name]) => !/with graphql-sse/.test(name)))(
  '%s reports the end of a gateway that drains, so that it can subscribe again',
  async (_, subscribe) => {
    const { upstream } = await start();
    const gateway = await openGateway(upstream.url, settings);
    const first = createGate();
    const failed = createGate<unknown>();
    subscribe(gateway.url, {
      next: () => first.open(),
      error: failed.open,
      complete: () => failed.fail(new Error('complete')),
    });
    await first.promise;
    expect(await gateway.drain(10_000)).toBe(0);
    expect(await failed.promise).toBeInstanceOf(Error);
  },
);
