import type { Workload, WorkloadId } from '../workloads/workloads.ts';

/** What is measured, how long and how often. */
export interface Plan {
  workloads: readonly WorkloadId[];
  /** The contenders of a workload; all of them where there is no entry. */
  contenders: Partial<Record<WorkloadId, readonly string[]>>;
  /** Connections of a closed loop. */
  connections: number;
  /** Requests before anything is measured: compiled code gets faster for thousands of requests. */
  warmUp: Record<WorkloadId, number>;
  /** Contenders that need fewer, because each request executes several times as much code. */
  warmUpShares: Partial<Record<string, number>>;
  /** Turns of each contender in each workload. */
  cycles: number;
  turnSeconds: number;
  garbage: { contenders: readonly string[]; requests: number };
  cpuProfile: { contenders: readonly string[]; seconds: number };
  startUps: number;
  latency: {
    workload: WorkloadId;
    delaysMs: readonly number[];
    contenders: readonly string[];
    /** Those of them that are measured on one core as well. */
    pinned: readonly string[];
    warmUp: number;
    rounds: number;
    /** The most that the load generator can send on time, with the upstream on the same core. */
    maxPerSecond: number;
    leadSeconds: number;
    seconds: number;
  };
}

const against = ['', '-2', '-3', '-4'].map((nth) => `portico-against${nth}`);
const porticos = [
  'portico',
  'portico-again',
  'portico-default',
  ...against.flatMap((id) => [id, `${id}-default`]),
];
const quickContenders = ['hand-written', ...porticos, 'mercurius', 'mercurius-dispatch'];

/** The run that the report is written from: about 25 minutes. */
export const fullPlan: Plan = {
  workloads: [
    'site',
    'clients',
    'dashboard',
    'many',
    'mix',
    'unseen',
    'tls',
    'hundred',
    'messages',
    'thread',
    'fifty',
  ],
  // The others are far behind: w2 and w6 show by how much.
  contenders: {
    site: quickContenders,
    dashboard: quickContenders,
    many: quickContenders,
    mix: quickContenders,
    tls: quickContenders,
    hundred: quickContenders,
    messages: quickContenders,
    thread: quickContenders,
    fifty: quickContenders,
  },
  connections: 32,
  warmUp: {
    site: 15_000,
    clients: 15_000,
    dashboard: 5000,
    many: 1500,
    mix: 15_000,
    unseen: 3000,
    tls: 15_000,
    hundred: 4000,
    messages: 3000,
    thread: 500,
    fifty: 600,
  },
  warmUpShares: { yoga: 0.25, 'yoga-dispatch': 0.5, apollo: 0.2, hive: 0.2, tailcall: 0.5 },
  cycles: 12,
  turnSeconds: 0.5,
  garbage: {
    contenders: ['hand-written', 'portico', 'portico-default', 'mercurius', 'yoga'],
    requests: 10_000,
  },
  cpuProfile: { contenders: ['hand-written', 'portico', 'mercurius'], seconds: 4 },
  startUps: 5,
  latency: {
    workload: 'clients',
    delaysMs: [4, 50],
    contenders: ['hand-written', 'portico', 'portico-default', 'mercurius-dispatch', 'yoga'],
    pinned: ['hand-written', 'portico', 'portico-default', 'mercurius-dispatch'],
    warmUp: 5000,
    rounds: 5,
    maxPerSecond: 4000,
    leadSeconds: 0.5,
    seconds: 1.5,
  },
};

/** The ratios of w1 to w5, and of w6 to Yoga: about three minutes. */
export const quickPlan: Plan = {
  ...fullPlan,
  workloads: ['site', 'clients', 'dashboard', 'many', 'mix', 'unseen'],
  contenders: {
    ...fullPlan.contenders,
    clients: quickContenders,
    unseen: [...porticos, 'yoga', 'mercurius'],
  },
  warmUp: {
    site: 10_000,
    clients: 10_000,
    dashboard: 2500,
    many: 700,
    mix: 10_000,
    unseen: 1000,
    tls: 10_000,
    hundred: 3000,
    messages: 2000,
    thread: 300,
    fifty: 300,
  },
  cycles: 8,
  garbage: { contenders: ['hand-written', ...porticos], requests: 5000 },
  cpuProfile: { contenders: [], seconds: 0 },
  startUps: 0,
  latency: { ...fullPlan.latency, rounds: 0 },
};

/** Portico rejects REST calls beyond 128 active and 1,024 that wait. */
const MAX_CALLS = 1000;

/** The connections of a closed loop of a workload, each of which has an operation's calls in flight. */
export function connectionsOf({ connections }: Plan, { restCalls }: Workload): number {
  return Math.min(connections, Math.floor(MAX_CALLS / restCalls));
}
