import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasHaproxy, hasNginx, startHaproxy, startNginx } from '../support/balancer.ts';
import { loadStreams } from '../support/live-load.ts';
import { startLoad } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';

const INTERVAL_S = 5;
const keys = Array.from({ length: 6 }, (_, n) => `scaled-key-0123456789-${'abcdef'[n]}`);
const query = 'query ($id: ID!) { site(id: $id) { city } }';
const live = `subscription ($id: ID!) { live(every: ${INTERVAL_S}) { site(id: $id) { city } } }`;

async function startGateway(upstreamUrl: string, env: Record<string, string> = {}) {
  const main = await startProcess('main.ts', {
    PORT: '0',
    UPSTREAM_URL: upstreamUrl,
    LIVE: 'on',
    LOG_LEVEL: 'warn',
    ...env,
  });
  const [, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  return { main, origin };
}

const startGateways = (count: number, upstreamUrl: string) =>
  Promise.all(Array.from({ length: count }, () => startGateway(upstreamUrl)));
const originsOf = (gateways: readonly { origin: string }[]) => gateways.map(({ origin }) => origin);

/** A REST API that takes 200 ms, and has one city for all sites. */
async function startCity() {
  let city = 'Bend';
  const upstream = await startUpstream((_, res) => {
    setTimeout(() => sendJson(res, { ...bareSite('SITE-1'), city }), 200);
  });
  return {
    ...upstream,
    setCity(next: string) {
      city = next;
    },
  };
}

const seconds = (count: number) => new Promise<void>((resolve) => setTimeout(resolve, count * 1000));

describe.skipIf(!hasHaproxy)('eight gateways behind the shipped HAProxy', () => {
  it('make one poll for each key and interval, and at most 0.55 calls for a query at ten a second', async () => {
    const upstream = await startCity();
    const gateways = await startGateways(8, upstream.url);
    const { origin } = await startHaproxy(originsOf(gateways));
    const loads = keys.flatMap((key) =>
      Array.from({ length: 16 }, () => ({ key, id: 'SITE-1', query: live })),
    );
    const streams = await loadStreams(`${origin}/graphql`, loads);
    onTestFinished(() => streams.forEach(({ close }) => void close()));
    // The rate of polls is the subject, so that this waits for time: six intervals.
    let before = upstream.requests.length;
    await seconds(6 * INTERVAL_S);
    expect((upstream.requests.length - before) / keys.length / 6).toBeLessThanOrEqual(1.1);
    upstream.setCity('Salem');
    await vi.waitFor(
      () => expect(streams.filter(({ latest }) => !latest.includes('Salem'))).toEqual([]),
      60_000,
    );
    for (const { close } of streams) close();

    before = upstream.requests.length;
    const sent: Promise<unknown>[] = [];
    const stopAt = Date.now() + 10_000;
    while (Date.now() < stopAt) {
      await seconds(-Math.log(1 - Math.random()) / (10 * keys.length));
      const key = keys[sent.length % keys.length] ?? '';
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const body = JSON.stringify({ query, variables: { id: 'SITE-1' } });
      sent.push(fetch(`${origin}/graphql`, { method: 'POST', headers, body }).then((res) => res.text()));
    }
    const texts = (await Promise.all(sent)).filter((text) => text !== '{"data":{"site":{"city":"Salem"}}}');
    expect(texts).toEqual([]);
    expect((upstream.requests.length - before) / sent.length).toBeLessThanOrEqual(0.55);
  });

  it('lose a killed one without losing a request; only its keys move', async () => {
    const requests = scaled(300);
    const served = new Map<string, string>();
    const upstream = await startUpstream((req, res) => {
      // Each gateway has a path of its own.
      const [, gateway = '', , , id = ''] = req.url?.split('/') ?? [];
      served.set(String(req.headers['x-api-key']), gateway);
      setTimeout(() => sendJson(res, bareSite(decodeURIComponent(id))), 20);
    });
    const gateways = await Promise.all(
      Array.from({ length: 8 }, (_, n) => startGateway(`${upstream.url}/${n}`)),
    );
    const { origin } = await startHaproxy(originsOf(gateways));
    const many = Array.from({ length: 64 }, (_, n) => `moved-key-0123456789-${n}`);
    async function route(): Promise<string[]> {
      served.clear();
      const statuses = many.map(async (key) => {
        const headers = { 'content-type': 'application/json', 'x-api-key': key };
        const body = '{"query":"{ site(id: \\"SITE-1\\") { id } }"}';
        const response = await fetch(`${origin}/graphql`, { method: 'POST', headers, body });
        return response.text();
      });
      expect(new Set(await Promise.all(statuses))).toEqual(new Set(['{"data":{"site":{"id":"SITE-1"}}}']));
      return many.map((key) => served.get(key) ?? '');
    }
    const before = await route();
    const load = startLoad(origin, 32);
    await load.more(64);
    // The gateway of the load itself.
    const at = Number([...served].find(([key]) => !many.includes(key))?.[1]);
    gateways[at]?.main.kill('SIGKILL');
    await load.more(requests);
    await load.stop();
    expect(load.failures).toEqual([]);
    const after = await route();
    expect(after).not.toContain(String(at));
    expect(after.filter((gateway, n) => gateway !== before[n])).toHaveLength(
      before.filter((gateway) => gateway === String(at)).length,
    );
  });
});

describe.each([
  { name: 'HAProxy', isInstalled: hasHaproxy, start: startHaproxy },
  { name: 'nginx', isInstalled: hasNginx, start: startNginx },
])('a stream through the shipped $name', ({ isInstalled, start }) => {
  it.skipIf(!isInstalled)('gets its heartbeats, and lasts longer than the idle timeout of 30 s', async () => {
    const upstream = await startCity();
    const gateways = await startGateways(4, upstream.url);
    const { origin } = await start(originsOf(gateways));
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    onTestFinished(() => agent.destroy());
    const { statusCode, body } = await request(`${origin}/graphql`, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-api-key': keys[0] ?? '',
      },
      body: JSON.stringify({ query: live, variables: { id: 'SITE-1' } }),
    });
    expect(statusCode).toBe(200);
    let text = '';
    for await (const chunk of body) {
      text += chunk;
      // Those after 12, 24 and 36 s, and the one with which a stream begins.
      if (text.split(/^:.*\n\n/m).length > 4) upstream.setCity('Salem');
      if (text.includes('Salem')) break;
    }
    expect(text).toContain('Salem');
  });
});
