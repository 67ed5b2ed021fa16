import type { Extent } from '../load/closed.ts';
import type { WorkloadId } from '../workloads/workloads.ts';

/** How long and how often is measured. */
export interface Plan {
  rounds: number;
  connections: number;
  /** Before anything counts: what is compiled while it runs gets faster for some seconds. */
  warmUp: Extent;
  seconds: number;
  /** How long one is profiled. */
  profileSeconds: number;
  latency: {
    delaysMs: readonly number[];
    workloads: readonly WorkloadId[];
    /** More the load itself cannot do on time, with the upstream beside it. */
    mostPerSecond: number;
    leadSeconds: number;
    seconds: number;
  };
}

/** The run that the report is made of. */
export const fullPlan: Plan = {
  rounds: 5,
  connections: 32,
  warmUp: { seconds: 4, requests: 30_000, atMostSeconds: 7 },
  seconds: 2,
  profileSeconds: 4,
  latency: {
    delaysMs: [4, 50],
    workloads: ['clients'],
    mostPerSecond: 4000,
    leadSeconds: 0.5,
    seconds: 1.5,
  },
};

/** For a glance. */
export const quickPlan: Plan = {
  rounds: 1,
  connections: 32,
  warmUp: { seconds: 1, requests: 6000, atMostSeconds: 3 },
  seconds: 1.5,
  profileSeconds: 1.5,
  latency: {
    delaysMs: [4],
    workloads: ['clients'],
    mostPerSecond: 4000,
    leadSeconds: 0.5,
    seconds: 1.5,
  },
};
