import type { DialectId } from '../workloads/dialects.ts';
import type { WorkloadId } from '../workloads/workloads.ts';

/** What a contender is given to start with. */
export interface Place {
  port: number;
  upstreamUrl: string;
}

/** What is measured: a server between who asks and the REST API. */
export interface Contender {
  id: string;
  title: string;
  dialect: DialectId;
  /** How many of the first cores it may use. */
  cores: number;
  /** The packages whose versions tell which contender this was. */
  packages: readonly string[];
  env: Record<string, string>;
  command(place: Place): [file: string, ...args: string[]];
  /** The workloads in which it takes part, and not in the latencies; all of them where there is no list. */
  only?: readonly WorkloadId[];
  /** Why it cannot do a workload, for each that it cannot. */
  unable: Partial<Record<WorkloadId, string>>;
  /** Why it does not run on this machine; nothing where it does. */
  missing?(): string | undefined;
}

/** How many connections to the REST API each may hold, where that can be said: what Portico has by default. */
export const UPSTREAM_CONNECTIONS = 128;
