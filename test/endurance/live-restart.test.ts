import { createClient } from 'graphql-sse';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startProcess } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { keys } from './tenants/population.ts';

const STREAMS = scaled(100);
const query = 'subscription { live(every: 1) { site(id: "SITE-1") { city } } }';
const settings = { PORT: '0', LIVE: 'on', LIVE_INTERVAL_S: '1' };

/** A client as frontends have it, with short waits before it connects again: all cities that it received. */
function subscribe(url: string, key: string) {
  const seen: unknown[] = [];
  const client = createClient({
    url,
    headers: { 'x-api-key': key },
    retryAttempts: 1000,
    retry: () => new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 800)),
  });
  const stop = client.subscribe<{ live: { site: { city: string } } }>(
    { query },
    {
      next: ({ data }) => seen.push(data?.live.site.city),
      error: (error) => seen.push(error),
      complete: () => seen.push('complete'),
    },
  );
  onTestFinished(stop);
  return seen;
}

it(`gives ${STREAMS} clients the present state again after a kill and a restart`, async () => {
  const state = { city: 'Bend' };
  const upstream = await startUpstream((req, res) =>
    sendJson(res, { ...bareSite(siteFromPath(req.url ?? '').id), city: state.city }),
  );
  const start = (env: NodeJS.ProcessEnv) =>
    startProcess('main.ts', { ...settings, UPSTREAM_URL: upstream.url, ...env });
  const main = await start({});
  const [, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  const clients = Array.from({ length: STREAMS }, (_, n) =>
    subscribe(`${origin}/graphql`, keys[n % keys.length] ?? ''),
  );
  const allSee = (city: string) =>
    vi.waitFor(() => expect(clients.filter((seen) => seen.at(-1) !== city)).toEqual([]), {
      timeout: 90_000,
      interval: 250,
    });
  await allSee('Bend');

  const port = new URL(origin).port;
  main.kill('SIGKILL');
  state.city = 'Salem';
  const second = await start({ PORT: port });
  await second.printed(/ready at/);
  await allSee('Salem');

  second.kill('SIGTERM');
  expect((await second.end()).code).toBe(0);
  state.city = 'Medford';
  const next = await start({ PORT: port });
  await next.printed(/ready at/);
  await allSee('Medford');
  expect(clients.flat().filter((seen) => typeof seen !== 'string' || seen === 'complete')).toEqual([]);
}, 400_000);
