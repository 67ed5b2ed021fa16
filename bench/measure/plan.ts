import type { WorkloadId } from '../workloads/workloads.ts';

/** What is measured, how long and how often. */
export interface Plan {
  /** The contenders of each workload; all of them where a workload is not listed. */
  contenders: Partial<Record<WorkloadId, readonly string[]>>;
  workloads: readonly WorkloadId[];
  /** Connections of a closed loop. */
  connections: number;
  /** Requests before anything is measured, by workload: compiled code gets faster for thousands of requests. */
  warmUp: Record<WorkloadId, number>;
  /** Turns of each contender in each workload. */
  cycles: number;
  turnSeconds: number;
  /** The contenders whose garbage is measured, and with how many requests. */
  garbage: { contenders: readonly string[]; requests: number };
  /** Undefined where only turns are measured. */
  more:
    | {
        cpuProfile: { contenders: readonly string[]; seconds: number };
        startUps: number;
        latency: {
          workload: WorkloadId;
          delaysMs: readonly number[];
          /** Requests to each contender before the first round. */
          warmUp: number;
          rounds: number;
          /** The most that the load generator can send on time, with the upstream on the same core. */
          maxPerSecond: number;
          leadSeconds: number;
          seconds: number;
        };
      }
    | undefined;
}

/** The run that the report is written from: about 25 minutes. */
export const fullPlan: Plan = {
  contenders: {},
  workloads: ['site', 'clients', 'dashboard', 'many', 'mix', 'unseen', 'tls'],
  connections: 32,
  warmUp: {
    site: 15_000,
    clients: 15_000,
    dashboard: 5000,
    many: 1500,
    mix: 15_000,
    unseen: 3000,
    tls: 15_000,
  },
  cycles: 12,
  turnSeconds: 0.5,
  garbage: {
    contenders: ['hand-written', 'portico', 'portico-default', 'mercurius', 'yoga'],
    requests: 10_000,
  },
  more: {
    cpuProfile: { contenders: ['hand-written', 'portico', 'mercurius'], seconds: 4 },
    startUps: 5,
    latency: {
      workload: 'clients',
      delaysMs: [4, 50],
      warmUp: 5000,
      rounds: 5,
      maxPerSecond: 4000,
      leadSeconds: 0.5,
      seconds: 1.5,
    },
  },
};

const quickContenders = ['hand-written', 'portico', 'portico-default', 'portico-against', 'mercurius'];

/** The ratios of w1 to w5, and of w6 to Yoga, on the console: about three minutes. */
export const quickPlan: Plan = {
  contenders: {
    site: quickContenders,
    clients: quickContenders,
    dashboard: quickContenders,
    many: quickContenders,
    mix: quickContenders,
    unseen: ['portico', 'portico-default', 'portico-against', 'yoga'],
    tls: quickContenders,
  },
  workloads: ['site', 'clients', 'dashboard', 'many', 'mix', 'unseen'],
  connections: 32,
  warmUp: {
    site: 10_000,
    clients: 10_000,
    dashboard: 2500,
    many: 700,
    mix: 10_000,
    unseen: 1000,
    tls: 10_000,
  },
  cycles: 8,
  turnSeconds: 0.5,
  garbage: { contenders: ['hand-written', 'portico', 'portico-default', 'portico-against'], requests: 5000 },
  more: undefined,
};
