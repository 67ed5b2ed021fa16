import { expect, it } from 'vitest';
import { startBalancer } from '../support/balancer.ts';
import { startLoad, startSlowUpstream } from '../support/load.ts';
import { startProcess } from '../support/process.ts';

/** `npm run rolling` asks for more, and takes some minutes. */
const requests = Number(process.env.ROLLING_REQUESTS ?? 1500);
const answerMs = Number(process.env.ROLLING_ANSWER_MS ?? 100);

async function startGateway(port: string, upstreamUrl: string, workers: string) {
  const main = await startProcess('main.ts', { PORT: port, WORKERS: workers, UPSTREAM_URL: upstreamUrl });
  const [, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  return { main, port: new URL(origin).port };
}

it.each(process.env.ROLLING_REQUESTS ? ['1', '2'] : ['1'])(
  'fails no request while two gateways of %s workers are restarted in turn behind a plain TCP balancer',
  { timeout: 3_600_000 },
  async (workers) => {
    const upstream = await startSlowUpstream(answerMs);
    const gateways = await Promise.all(['0', '0'].map((port) => startGateway(port, upstream.url, workers)));
    const balancer = await startBalancer(gateways.map(({ port }) => Number(port)));
    const load = startLoad(balancer.origin);
    let restarts = 0;
    await load.more(64);
    while (load.answered() + load.failures.length < requests || restarts < 2) {
      const at = restarts % 2;
      const old = gateways[at];
      if (!old) break;
      old.main.kill('SIGTERM');
      expect(await old.main.end()).toEqual({ code: 0, complaints: [] });
      gateways[at] = await startGateway(old.port, upstream.url, workers);
      restarts += 1;
      await load.more(Math.max(128, requests / 50));
    }
    await load.stop();
    const words = `${load.answered()} answered, ${load.failures.length} failed, ${restarts} restarts, ${workers} workers each`;
    if (process.env.ROLLING_REQUESTS) console.log(words, new Set(load.failures));
    expect(load.failures, words).toEqual([]);
    for (const connections of balancer.taken.values()) expect(connections).toBeGreaterThan(32);
  },
);
