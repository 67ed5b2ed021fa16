import { respondFromFixtures } from '../fixtures/resources.ts';
import type { Certificate } from '../upstream/certificate.ts';
import { type NodeUpstream, startNodeUpstream } from '../upstream/node.ts';
import { createTraffic, type RequestFormat } from '../workloads/requests.ts';
import { type WorkloadId, workloadOf } from '../workloads/workloads.ts';
import { createClosedLoop, type Extent } from './closed-loop.ts';
import { percentile, runOpenLoop } from './open-loop.ts';

/** Where requests go, and which. */
export interface Target {
  url: string;
  workload: WorkloadId;
  format: RequestFormat;
}

export interface OpenLoopResult {
  p50Ms: number;
  p99Ms: number;
  /** The 99th percentile of how late requests were sent: the share of the load generator in the latency. */
  lateP99Ms: number;
}

interface Message {
  task: keyof Tasks;
  input: never;
}

const loops = new Map<number, ReturnType<typeof createClosedLoop>>();
const upstreams = new Map<string, NodeUpstream>();
const respond = respondFromFixtures();
let lastLoop = 0;

/** What the process of the load generator does for the process that measures. */
const tasks = {
  startUpstream: async ({ certificate }: { certificate: Certificate | undefined }) => {
    const upstream = await startNodeUpstream(respond, certificate);
    upstreams.set(upstream.url, upstream);
    return upstream.url;
  },
  setDelay: ({ url, ms }: { url: string; ms: number }) => upstreamOf(url).setDelay(ms),
  countCalls: ({ url }: { url: string }) => upstreamOf(url).counts(),
  openClosedLoop: ({ url, workload, format, connections }: Target & { connections: number }) => {
    lastLoop += 1;
    loops.set(lastLoop, createClosedLoop(url, connections, createTraffic(workloadOf(workload), format)));
    return lastLoop;
  },
  runClosedLoop: ({ loop, extent }: { loop: number; extent: Extent }) => loopOf(loop).run(extent),
  closeClosedLoop: async ({ loop }: { loop: number }) => {
    await loopOf(loop).close();
    loops.delete(loop);
  },
  runOpenLoop: async ({
    url,
    workload,
    format,
    ...plan
  }: Target & { perSecond: number; leadSeconds: number; seconds: number }): Promise<OpenLoopResult> => {
    const traffic = createTraffic(workloadOf(workload), format);
    const latencies: number[] = [];
    const late = await runOpenLoop(
      url,
      { ...plan, arrivals: 'even' },
      {
        next: traffic.next,
        onResponse(request, response, latencyMs, isMeasured) {
          traffic.onResponse(request, response, latencyMs, isMeasured);
          if (isMeasured) latencies.push(latencyMs);
        },
      },
    );
    return {
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      lateP99Ms: percentile(late, 0.99),
    };
  },
};

export type Tasks = typeof tasks;

function upstreamOf(url: string): NodeUpstream {
  const upstream = upstreams.get(url);
  if (!upstream) throw new Error(`there is no upstream at ${url}`);
  return upstream;
}

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
