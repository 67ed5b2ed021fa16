import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { isPinned, stepAside } from '../reference/process.ts';
import { KEYS, type Ownership, SITES } from './dashboards.ts';
import { startGateway } from './gateway.ts';
import { runLoad } from './load.ts';
import { startUpstream } from './upstream.ts';

const UPSTREAM_DELAY_MS = 20;
const PER_SECOND = 100;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 1 : 3;
const seconds = values.quick ? 2 : 8;
const warmUpSeconds = values.quick ? 1 : 3;

const settings: Record<string, Record<string, string>> = {
  'coalescing off': { COALESCING: 'off' },
  'coalescing on': {},
  'and a cache of 1 s': { CACHE_TTL_MS: '1000' },
};
const sitesPerKey: Record<Ownership, number> = { all: SITES, own: SITES / KEYS };

stepAside();
const rows: object[] = [];
for (const ownership of ['all', 'own'] as const) {
  for (const [setting, env] of Object.entries(settings)) rows.push(await measure(ownership, setting, env));
}
const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, Node ${process.version}, ${isPinned ? 'one core each' : 'cores shared'}`);
console.table(rows);

async function measure(ownership: Ownership, setting: string, env: Record<string, string>): Promise<object> {
  const upstream = await startUpstream(UPSTREAM_DELAY_MS);
  const gateway = await startGateway(upstream.url, env);
  const load = (seed: number, time: number) =>
    runLoad({ url: gateway.url, ownership, seed, perSecond: PER_SECOND, seconds: time });
  const calls: number[] = [];
  const halves: number[] = [];
  const slowest: number[] = [];
  try {
    await load(0, warmUpSeconds);
    for (let round = 1; round <= rounds; round += 1) {
      const before = upstream.asked();
      const took = await load(round, seconds);
      calls.push((upstream.asked() - before) / took.length);
      halves.push(took[Math.floor(took.length * 0.5)] ?? 0);
      slowest.push(took[Math.floor(took.length * 0.99)] ?? 0);
    }
  } finally {
    await gateway.stop();
    upstream.close();
  }
  return {
    'sites per key': sitesPerKey[ownership],
    setting,
    'calls per operation': medianOf(calls).toFixed(2),
    'p50 ms': medianOf(halves).toFixed(1),
    'p99 ms': medianOf(slowest).toFixed(1),
  };
}

function medianOf(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
