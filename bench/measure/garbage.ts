import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import type { HeapSample } from '../profile/preload.ts';
import { workloadOf } from '../workloads/workloads.ts';
import { startInstrumented } from './instrumented.ts';
import type { Plan } from './plan.ts';
import type { Garbage } from './results.ts';
import type { Upstreams } from './upstreams.ts';

const WORKLOAD = workloadOf('clients');

/** Measures how many bytes V8 allocates on its heap for one operation of w2. */
export async function measureGarbage(
  contender: Contender,
  plan: Plan,
  load: LoadGenerator,
  upstreams: Upstreams,
): Promise<Garbage> {
  const { result, requests } = await startInstrumented<HeapSample>(
    'heap',
    contender,
    WORKLOAD,
    { requests: plan.garbage.requests },
    plan,
    load,
    upstreams,
  );
  return { contender: contender.id, bytesPerOperation: result.allocatedBytes / requests };
}
