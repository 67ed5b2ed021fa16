import type { WorkloadId } from '../workloads/workloads.ts';
import type { Plan } from './plan.ts';

/** What one contender did in one workload at saturation, in one round. */
export interface Saturation {
  round: number;
  workload: WorkloadId;
  contender: string;
  requests: number;
  perSecond: number;
  /** Of the whole process tree; null where the system does not tell. */
  cpuUs: number | null;
  peakMb: number | null;
  /** Upstream calls per operation, counted at the upstream. */
  calls: number;
  /** Upstream calls for each instant in which one thing was asked; null where the upstream does not note that. */
  callsPerInstant: number | null;
  /** How much of the time its main thread waited for its core; null where the system does not tell. More than a little spoils the figures. */
  waitShare: number | null;
  /** How much of its core the load took. */
  loadShare: number;
}

/** What one contender did at half of its saturation, in one round, beside the REST API asked directly. */
export interface Latency {
  round: number;
  workload: WorkloadId;
  contender: string;
  delayMs: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  lateP99Ms: number;
  /** How much of the time its main thread waited for its core; null where the system does not tell. */
  waitShare: number | null;
  /** The REST call itself at the same rate; null where the operation is more than one call. */
  direct: { p50Ms: number; p99Ms: number } | null;
}

/** Everything that a run found out: what the report is written from. */
export interface Results {
  measuredOn: string;
  isQuick: boolean;
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
    cores: number;
    /** Whether who asks has none of his own beside them. */
    sharesCores: boolean;
    skipped: string | null;
  }[];
  unable: { contender: string; workload: WorkloadId; reason: string }[];
  saturation: Saturation[];
  latency: Latency[];
  profiles: Profile[];
}

/** Where the CPU of one operation goes, in microseconds. */
export interface Profile {
  contender: string;
  workload: WorkloadId;
  places: { place: string; us: number }[];
}
