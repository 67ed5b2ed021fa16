import { createBodies } from '../fixtures/resources.ts';
import { type NodeUpstream, startNodeUpstream } from '../upstream/node.ts';
import { createTraffic } from '../workloads/traffic.ts';
import { type WorkloadId, workloadOf } from '../workloads/workloads.ts';
import { createClosedLoop, type Extent } from './closed-loop.ts';
import { type OpenLoopPlan, runOpenLoop } from './open-loop.ts';

/** Where operations go, and which. */
interface Target {
  url: string;
  workload: WorkloadId;
}

interface Message {
  task: keyof Tasks;
  input: never;
}

const loops = new Map<number, ReturnType<typeof createClosedLoop>>();
let lastLoop = 0;
let upstream: NodeUpstream | undefined;

/** The tasks of the load generator, by the names by which the measuring process asks for them. */
const tasks = {
  startUpstream: async () => {
    upstream = await startNodeUpstream(createBodies());
    return upstream.url;
  },
  setDelay: ({ ms }: { ms: number }) => upstream?.setDelay(ms),
  countCalls: () => upstream?.calls() ?? 0,
  openClosedLoop: ({ url, workload, connections }: Target & { connections: number }) => {
    lastLoop += 1;
    const traffic = createTraffic(workloadOf(workload), connections);
    loops.set(lastLoop, createClosedLoop(url, connections, traffic));
    return lastLoop;
  },
  runClosedLoop: ({ loop, extent }: { loop: number; extent: Extent }) => loopOf(loop).run(extent),
  closeClosedLoop: async ({ loop }: { loop: number }) => {
    await loopOf(loop).close();
    loops.delete(loop);
  },
  runOpenLoop: async ({ url, workload, ...plan }: Target & OpenLoopPlan) =>
    runOpenLoop(url, plan, createTraffic(workloadOf(workload), 1)),
};

export type Tasks = typeof tasks;

function loopOf(id: number): ReturnType<typeof createClosedLoop> {
  const loop = loops.get(id);
  if (!loop) throw new Error(`there is no closed loop ${id}`);
  return loop;
}

// One task at a time, with one reply each.
process.on('message', async ({ task, input }: Message) => {
  try {
    process.send?.({ result: await tasks[task](input) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ result: 'ready' });
