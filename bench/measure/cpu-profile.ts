import type { Profiler } from 'node:inspector';
import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { timesByCategory } from '../profile/categories.ts';
import { workloadOf } from '../workloads/workloads.ts';
import { startInstrumented } from './instrumented.ts';
import type { Plan } from './plan.ts';
import type { CpuProfile } from './results.ts';
import type { Upstreams } from './upstreams.ts';

const WORKLOAD = workloadOf('clients');

/** Measures where the CPU of one operation of w2 goes. The profiler itself uses CPU, too. */
export async function profileCpu(
  contender: Contender,
  seconds: number,
  plan: Plan,
  load: LoadGenerator,
  upstreams: Upstreams,
): Promise<CpuProfile> {
  const { result, requests, cpuUs } = await startInstrumented<Profiler.Profile>(
    'cpu',
    contender,
    WORKLOAD,
    { seconds },
    plan,
    load,
    upstreams,
  );
  const categories = [...timesByCategory(result)].map(([category, us]) => ({ category, us: us / requests }));
  const mainThreadUs = categories.reduce((sum, { us }) => sum + us, 0);
  const otherThreads = {
    category: 'other threads: garbage collection, compilation',
    us: cpuUs === null ? 0 : Math.max(0, cpuUs / requests - mainThreadUs),
  };
  return { contender: contender.id, categories: [...categories, otherThreads] };
}
