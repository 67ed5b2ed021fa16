import type { RequestFormat } from '../workloads/requests.ts';
import type { WorkloadId } from '../workloads/workloads.ts';

/** Where a contender listens, and the REST API that it calls. */
export interface Endpoints {
  port: number;
  upstreamUrl: string;
}

/** A server between clients and the REST API that is measured. */
export interface Contender {
  id: string;
  title: string;
  format: RequestFormat;
  /** The packages whose versions the report lists; none for Portico, whose commit it lists. */
  packages: readonly string[];
  env: Record<string, string>;
  command(endpoints: Endpoints): [file: string, ...args: string[]];
  /** The workloads that it cannot serve, each with the reason. */
  unsupported: Partial<Record<WorkloadId, string>>;
  /** Why it does not run on this machine; undefined if it does. */
  unavailable?(): string | undefined;
}

/** The maximum of connections to the REST API, where a contender has such a setting: the default of Portico. */
export const UPSTREAM_CONNECTIONS = 128;
