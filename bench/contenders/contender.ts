import type { Command } from '../processes/cores.ts';
import type { WorkloadId } from '../workloads/workloads.ts';

/** A server between clients and the REST API that is measured. */
export interface Contender {
  id: string;
  title: string;
  command: Command;
  env: Record<string, string>;
  /** The workloads in which it is measured. */
  workloads: readonly WorkloadId[];
}

/** The maximum of connections to the REST API: the default of Portico. */
export const UPSTREAM_CONNECTIONS = 128;
