import { expect, it } from 'vitest';
import { startProcess } from '../../support/process.ts';
import { freshRedisUrl, redisIsReachable } from '../../support/redis.ts';
import { scale, scaled } from '../../support/scale.ts';
import { startStampingUpstream } from '../../support/upstreams/stamping.ts';
import { runLoad } from './load.ts';
import { keys, limitedKeys, sitesOf } from './population.ts';

const requests = scaled(300);
const timeout = 120_000 + requests * 40;

const settings = {
  FEDERATION: 'on',
  CACHE_TTL_MS: '300',
  CACHE_STALE_IF_ERROR_MS: '2000',
  UPSTREAM_TIMEOUT_MS: '700',
};

async function startGateways(upstreamUrl: string, env: Record<string, string>): Promise<string[]> {
  const start = async () => {
    const main = await startProcess('main.ts', { PORT: '0', UPSTREAM_URL: upstreamUrl, ...settings, ...env });
    const [, url = ''] = await main.printed(/ready at (\S+)\n/);
    return url;
  };
  return Promise.all([start(), start()]);
}

async function expectNoMix(env: Record<string, string>): Promise<void> {
  const upstream = await startStampingUpstream({ isLimited: (key) => limitedKeys.has(key), sitesOf });
  const outcome = await runLoad(await startGateways(upstream.url, env), requests);
  if (scale > 10) console.log(outcome, upstream.met, `${upstream.requests.length} REST calls`);

  expect(outcome.flaws).toEqual([]);
  expect(new Set(upstream.requests.map(({ apiKey }) => apiKey))).toEqual(new Set(keys));
  // Without these the run would show nothing.
  expect(outcome.stamps).toBeGreaterThan(requests);
  expect(outcome.aborted).toBeGreaterThan(0);
  for (const source of ['network', 'coalesced', 'cache', 'stale', 'rate-limited']) {
    expect(outcome.sources, source).toHaveProperty(source);
  }
  for (const fault of ['unavailable', 'reset', 'cut', 'silent', 'broken relation', 'limited'] as const) {
    expect(upstream.met.get(fault) ?? 0, fault).toBeGreaterThan(0);
  }
}

it('never mixes the responses of twenty keys at two gateways that cache in memory', { timeout }, () =>
  expectNoMix({}),
);

it.skipIf(!(await redisIsReachable()))(
  'never mixes the responses of twenty keys at two gateways that cache in Redis',
  { timeout },
  () => expectNoMix({ CACHE_URL: freshRedisUrl() }),
);
