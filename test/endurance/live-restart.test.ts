import { createClient } from 'graphql-sse';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startProcess } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';
import { keys } from './tenants/population.ts';

const STREAMS = scaled(100);
const query = 'subscription { live(every: 1) { site(id: "SITE-1") { city } } }';

/** A client as frontends have it, with short waits before it connects again: all cities that it received. */
function subscribe(url: string, key: string): unknown[] {
  const seen: unknown[] = [];
  const retry = () => new Promise<void>((resolve) => setTimeout(resolve, 200 + Math.random() * 800));
  const client = createClient({ url, headers: { 'x-api-key': key }, retryAttempts: 1000, retry });
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
  let city = 'Bend';
  const upstream = await startUpstream((_, res) => sendJson(res, { ...bareSite('SITE-1'), city }));
  const start = async (PORT: string) => {
    const env = { PORT, UPSTREAM_URL: upstream.url, LIVE: 'on', LIVE_INTERVAL_S: '1' };
    const main = await startProcess('main.ts', env);
    return { main, url: new URL((await main.printed(/ready at (\S+)\n/))[1] ?? '') };
  };
  let { main, url } = await start('0');
  const clients = Array.from({ length: STREAMS }, (_, n) => subscribe(url.href, keys[n % keys.length] ?? ''));
  const allSeeTheCity = () =>
    vi.waitFor(() => expect(clients.filter((seen) => seen.at(-1) !== city)).toEqual([]), {
      timeout: 90_000,
      interval: 250,
    });
  await allSeeTheCity();
  for (const [signal, next] of [
    ['SIGKILL', 'Salem'],
    ['SIGTERM', 'Medford'],
  ] as const) {
    main.kill(signal);
    expect((await main.end()).code).toBe(signal === 'SIGTERM' ? 0 : null);
    city = next;
    ({ main, url } = await start(url.port));
    await allSeeTheCity();
  }
  expect(clients.flat().filter((seen) => typeof seen !== 'string' || seen === 'complete')).toEqual([]);
}, 400_000);
