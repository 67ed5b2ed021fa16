import { existsSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
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
import { timesByCategory } from '../profile/categories.ts';
import type { HeapSample } from '../profile/preload.ts';
import { workloadOf } from '../workloads/workloads.ts';
import type { Plan } from './plan.ts';
import type { CpuProfile, Garbage } from './results.ts';
import type { Upstreams } from './upstreams.ts';

/** What an instrument recorded during a load. */
interface Recording<Result> {
  result: Result;
  requests: number;
  cpuUs: number | null;
}

const WORKLOAD = workloadOf('clients');

/** Creates the measurements that run w2 in a contender with an instrument of `profile/preload.ts` loaded into it. */
export function createInstruments(plan: Plan, load: LoadGenerator, upstreams: Upstreams) {
  async function record<Result>(
    instrument: 'cpu' | 'heap',
    contender: Contender,
    extent: Extent,
  ): Promise<Recording<Result>> {
    const upstream = await upstreams.forWorkload(WORKLOAD);
    if (!upstream) throw new Error(`no upstream for ${WORKLOAD.short}`);
    const file = join(scratchFolder(), 'recording.json');
    const server = await startServer(contender, upstream, {
      NODE_OPTIONS: `--import ${pathToFileURL(inBench('dist/profile/preload.js')).href}`,
      BENCH_INSTRUMENT: instrument,
      BENCH_RECORDING: file,
    });
    const target = { url: server.url, workload: WORKLOAD.id, format: contender.format };
    const loop = await load.call('openClosedLoop', { ...target, connections: plan.connections });
    try {
      await load.call('runClosedLoop', { loop, extent: { requests: plan.warmUp[WORKLOAD.id] } });
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

  return {
    /** Measures how many bytes V8 allocates on its heap for one operation. */
    async measureGarbage(contender: Contender): Promise<Garbage> {
      const extent = { requests: plan.garbage.requests };
      const { result, requests } = await record<HeapSample>('heap', contender, extent);
      return { contender: contender.id, bytesPerOperation: result.allocatedBytes / requests };
    },
    /** Measures where the CPU of one operation goes. The profiler itself uses CPU, too. */
    async profileCpu(contender: Contender): Promise<CpuProfile> {
      const { seconds } = plan.cpuProfile;
      const { result, requests, cpuUs } = await record<Profiler.Profile>('cpu', contender, { seconds });
      const times = timesByCategory(result);
      const mainThreadUs = [...times.values()].reduce((sum, us) => sum + us, 0);
      times.set('other threads: garbage collection, compilation', Math.max(0, (cpuUs ?? 0) - mainThreadUs));
      const categories = [...times].map(([category, us]) => ({ category, us: us / requests }));
      return { contender: contender.id, categories };
    },
  };
}
