import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Contender } from '../contenders/contender.ts';
import { inBench } from '../contenders/places.ts';
import { during } from '../load/closed.ts';
import type { Load } from '../load/remote.ts';
import { scratchFolder } from '../processes/scratch.ts';
import { startServer } from '../processes/server.ts';
import { isUsageKnown } from '../processes/usage.ts';
import { timesFrom } from '../profile/places.ts';
import type { Workload } from '../workloads/workloads.ts';
import { createAsker } from './asker.ts';
import { type Backends, backendFor } from './backends.ts';
import type { Plan } from './plan.ts';
import type { Profile } from './results.ts';

/** Where the CPU of an operation goes. To be profiled costs something itself. */
export async function profile(
  contender: Contender,
  workload: Workload,
  { connections, warmUp, profileSeconds }: Plan,
  load: Load,
  backends: Backends,
): Promise<Profile> {
  const upstream = await backendFor(workload, backends, load);
  const file = join(scratchFolder(), `${contender.id}.cpuprofile`);
  const sampler = pathToFileURL(inBench('dist/profile/sampler.js')).href;
  const env = { ...contender.env, NODE_OPTIONS: `--import ${sampler}`, PROFILE: file };
  const server = await startServer({ ...contender, env }, upstream.url);
  const ask = createAsker(load, server, contender, workload, connections);
  try {
    await ask(warmUp);
    server.signal('SIGUSR2');
    const before = server.usage();
    const { requests } = await ask(during(profileSeconds));
    const after = server.usage();
    server.signal('SIGUSR2');
    while (!existsSync(file)) await delay(50);
    const times = timesFrom(JSON.parse(readFileSync(file, 'utf8')));
    const places = [...times].map(([place, us]) => ({ place, us: us / requests }));
    const onMainThread = places.reduce((sum, { us }) => sum + us, 0);
    const all = isUsageKnown ? (after.cpuUs - before.cpuUs) / requests : onMainThread;
    const others = {
      place: 'other threads: garbage collection, compiling',
      us: Math.max(0, all - onMainThread),
    };
    return { contender: contender.id, workload: workload.id, places: [...places, others] };
  } finally {
    await server.stop();
  }
}
