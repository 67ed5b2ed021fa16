import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Contender } from '../contenders/contender.ts';
import type { Extent } from '../load/closed-loop.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { inBench } from '../paths.ts';
import { scratchFolder } from '../processes/scratch.ts';
import { startServer } from '../processes/server.ts';
import { cpuBetween } from '../processes/usage.ts';
import type { Workload } from '../workloads/workloads.ts';
import type { Plan } from './plan.ts';
import type { Upstreams } from './upstreams.ts';

/** What an instrument recorded during a load. */
interface Recording<Result> {
  result: Result;
  requests: number;
  cpuUs: number | null;
}

/** Runs a contender with an instrument of `profile/preload.ts` loaded into it, and returns what that recorded. */
export async function startInstrumented<Result>(
  instrument: 'cpu' | 'heap',
  contender: Contender,
  workload: Workload,
  extent: Extent,
  { connections, warmUp }: Plan,
  load: LoadGenerator,
  upstreams: Upstreams,
): Promise<Recording<Result>> {
  const upstream = await upstreams.forWorkload(workload);
  if (!upstream) throw new Error(`no upstream for ${workload.short}`);
  const file = join(scratchFolder(), `${contender.id}.json`);
  const server = await startServer(contender, upstream, {
    NODE_OPTIONS: `--import ${pathToFileURL(inBench('dist/profile/preload.js')).href}`,
    BENCH_INSTRUMENT: instrument,
    BENCH_RECORDING: file,
  });
  const target = { url: server.url, workload: workload.id, format: contender.format };
  const loop = await load.call('openClosedLoop', { ...target, connections });
  try {
    await load.call('runClosedLoop', { loop, extent: { requests: warmUp[workload.id] } });
    server.signal('SIGUSR2');
    const before = server.usage();
    const { requests } = await load.call('runClosedLoop', { loop, extent });
    const after = server.usage();
    server.signal('SIGUSR2');
    while (!existsSync(file)) await delay(20);
    const result = JSON.parse(readFileSync(file, 'utf8')) as Result;
    return { result, requests, cpuUs: cpuBetween(before, after) };
  } finally {
    await load.call('closeClosedLoop', { loop });
    await server.stop();
  }
}
