import type { Contender } from '../contenders/contender.ts';
import { type Workload, type WorkloadId, workloads } from '../workloads/workloads.ts';

/** How long and how often is measured. */
export interface Plan {
  workloads: readonly Workload[];
  contenders: readonly Contender[];
  /** Turns of each contender in each workload. */
  cycles: number;
  turnSeconds: number;
  startUps: number;
  latencyRounds: number;
}

/** The plan of recorded results: five minutes for each Node. */
export function fullPlan(contenders: readonly Contender[]): Plan {
  return { workloads, contenders, cycles: 10, turnSeconds: 0.4, startUps: 5, latencyRounds: 5 };
}

/** A look while one works: two minutes, without those that are far behind. */
export function quickPlan(contenders: readonly Contender[]): Plan {
  return {
    workloads: workloads.filter(({ id }) => id !== 'w8' && id !== 'w10'),
    contenders: contenders.filter(({ id }) => id !== 'yoga' && id !== 'apollo' && id !== 'portico-default'),
    cycles: 8,
    turnSeconds: 0.4,
    startUps: 0,
    latencyRounds: 0,
  };
}

/** Requests before anything is measured: compiled code gets faster for thousands of requests. */
const warmUpRequests: Record<WorkloadId, number> = {
  w2: 12_000,
  w4: 1200,
  w6: 2000,
  w8: 3000,
  w9: 2000,
  w10: 300,
};

/** Those that need fewer, because each request executes several times as much code. */
const warmUpShares: Record<string, number> = { yoga: 0.25, apollo: 0.2 };

/** The requests with which a contender is warmed up. */
export function warmUpOf(workload: Workload, contender: Contender): number {
  return warmUpRequests[workload.id] * (warmUpShares[contender.id] ?? 1);
}
