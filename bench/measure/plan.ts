import type { Contender } from '../contenders/contender.ts';
import { type Workload, type WorkloadId, workloads } from '../workloads/workloads.ts';

/** How long and how often is measured. */
export interface Plan {
  workloads: readonly Workload[];
  contenders: readonly Contender[];
  /** Processes of each contender in each workload, one after the other: two of one build differ by a twentieth. */
  processes: number;
  /** Turns of each process. */
  cycles: number;
  turnSeconds: number;
  startUps: number;
  latencyRounds: number;
}

/** Short and many: the speed of a machine that others use too changes within a second. */
const TURN_SECONDS = 0.16;

/** The plan of recorded results: ten minutes for each Node. A pause of the machine decides a round of latencies. */
export function fullPlan(contenders: readonly Contender[]): Plan {
  const repetitions = { processes: 2, cycles: 12, startUps: 5, latencyRounds: 15 };
  return { workloads, contenders, turnSeconds: TURN_SECONDS, ...repetitions };
}

/** A look while one works: three minutes, without those that are far behind. */
export function quickPlan(contenders: readonly Contender[]): Plan {
  return {
    workloads: workloads.filter(({ id }) => id !== 'w8' && id !== 'w10'),
    contenders: contenders.filter(({ id }) => id !== 'yoga' && id !== 'apollo' && id !== 'portico-default'),
    processes: 1,
    cycles: 20,
    turnSeconds: TURN_SECONDS,
    startUps: 0,
    latencyRounds: 0,
  };
}

/** Requests before anything is measured: on Node 24 the code of Portico gets faster for the first 40,000 of w2. */
const warmUpRequests: Record<WorkloadId, number> = {
  w2: 40_000,
  w4: 4000,
  w6: 4000,
  w8: 4000,
  w9: 2000,
  w10: 300,
};

/** Those that need fewer, because each request executes several times as much code. */
const warmUpShares: Record<string, number> = { yoga: 0.25, apollo: 0.2 };

/** The requests with which a contender is warmed up. */
export function warmUpOf(workload: Workload, contender: Contender): number {
  return warmUpRequests[workload.id] * (warmUpShares[contender.id] ?? 1);
}
