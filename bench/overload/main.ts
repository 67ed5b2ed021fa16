import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startGateway } from '../calls/gateway.ts';
import { startUpstream } from '../calls/upstream.ts';
import { isPinned, stepAside } from '../reference/process.ts';
import { createLoad, type Outcome } from './load.ts';

const UPSTREAM_DELAY_MS = 20;
const PLACES = 64;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 1 : 3;
const seconds = values.quick ? 2 : 8;

stepAside();
const upstream = await startUpstream(UPSTREAM_DELAY_MS);
const rows: object[] = [];
for (let round = 1; round <= rounds; round += 1) await measure(round);
upstream.close();
const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, Node ${process.version}, ${isPinned ? 'one core each' : 'cores shared'}`);
console.table(rows);

async function measure(round: number): Promise<void> {
  const limited = { MAX_CONCURRENT_OPERATIONS: String(PLACES) };
  const capacity = await loaded(limited, async (load) => {
    const { served } = await load.inTurn(PLACES, seconds);
    return served.length / seconds;
  });
  for (const [share, env] of [
    [0.7, limited],
    [3, limited],
    [3, { MAX_CONCURRENT_OPERATIONS: '1000000' }],
  ] as const) {
    const outcome = await loaded(env, (load) => load.atRate(capacity * share, seconds));
    rows.push(rowOf(round, `${share} × ${Math.round(capacity)}/s`, env.MAX_CONCURRENT_OPERATIONS, outcome));
  }
}

async function loaded<T>(
  env: Record<string, string>,
  run: (load: ReturnType<typeof createLoad>) => Promise<T>,
): Promise<T> {
  const gateway = await startGateway(upstream.url, env);
  const load = createLoad(gateway.url);
  try {
    await load.inTurn(PLACES, values.quick ? 1 : 3);
    return await run(load);
  } finally {
    await load.close();
    await gateway.stop();
  }
}

function rowOf(
  round: number,
  offered: string,
  places: string,
  { served, refused, seconds }: Outcome,
): object {
  const at = (took: number[], share: number) => took[Math.floor(took.length * share)]?.toFixed(1) ?? '';
  return {
    round,
    offered,
    places,
    'served/s': Math.round(served.length / seconds),
    'p50 ms': at(served, 0.5),
    'p99 ms': at(served, 0.99),
    'refused/s': Math.round(refused.length / seconds),
    'their p50 ms': at(refused, 0.5),
    'their p99 ms': at(refused, 0.99),
  };
}
