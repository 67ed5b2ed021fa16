import type { WorkloadId } from '../workloads/workloads.ts';
import type { Plan } from './plan.ts';

/** What one contender did in one turn of a closed loop. */
export interface Turn {
  workload: WorkloadId;
  contender: string;
  cycle: number;
  requests: number;
  perSecond: number;
  /** CPU microseconds per operation, of the whole process tree; null if the system does not report them. */
  cpuUs: number | null;
  /** Upstream calls per operation, counted by the upstream. */
  calls: number;
  /** Upstream calls for each distinct one; null if the upstream does not record overlaps. */
  callsPerDistinct: number | null;
  /** Share of the time for which the main thread waited for its core; null if the system does not report it. */
  waitShare: number | null;
  /** Share of its core that the load generator used. */
  loadShare: number;
}

/** One process of a contender over all of its turns in a workload; null if the system does not report it. */
export interface ProcessRecord {
  workload: WorkloadId;
  contender: string;
  rssAfterStartMb: number | null;
  peakMb: number | null;
  /** Share of a core that it used between its turns. */
  idleShare: number | null;
}

/** The latencies of one contender in an open loop, in one round. */
export interface Latency {
  round: number;
  contender: string;
  delayMs: number;
  /** Whether the contender had one core; otherwise it shared all of them. */
  isPinned: boolean;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  lateP99Ms: number;
  waitShare: number | null;
  /** The REST call without a contender, at the same rate. */
  direct: { p50Ms: number; p99Ms: number };
}

/** Bytes that V8 allocates on its heap for one operation. */
export interface Garbage {
  contender: string;
  bytesPerOperation: number;
}

/** Where the CPU of one operation goes, in microseconds. */
export interface CpuProfile {
  contender: string;
  categories: { category: string; us: number }[];
}

/** From the spawn of the process to the first 200 of `/readyz`. */
export interface StartUp {
  upstream: 'UPSTREAM_URL' | 'embedded reference';
  readyMs: number;
  rssMb: number | null;
}

/** The major version of Node: of `v24.1.0`, 24. */
export function majorOf(version: string): number {
  return Number.parseInt(version.slice(1), 10);
}

/** Everything that a run measured: the report is written from it. */
export interface Results {
  measuredOn: string;
  plan: Plan;
  machine: {
    processor: string;
    cores: number;
    memoryGiB: number;
    system: string;
    node: string;
    nginx: string | null;
    isPinned: boolean;
  };
  contenders: {
    id: string;
    title: string;
    versions: string;
    /** Why it was not measured; null if it was. */
    skipped: string | null;
  }[];
  unsupported: { contender: string; workload: WorkloadId; reason: string }[];
  turns: Turn[];
  processes: ProcessRecord[];
  garbage: Garbage[];
  latencies: Latency[];
  cpuProfiles: CpuProfile[];
  startUps: StartUp[];
}
