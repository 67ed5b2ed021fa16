import type { Cost } from '../../src/features/explain/cost.ts';
import type { Quota } from './report/quota.ts';

/** The part of a response that `x-explain` adds. */

/** A REST call that an operation made. */
export interface ReportedCall {
  method: string;
  path: string;
  /** `network`, `coalesced`, `cache`, `stale`, or why the call was not made. */
  source: string;
  status: number | null;
  /** Since the operation began. */
  startedMs: number;
  durationMs: number;
  /** The fields that caused it, by their paths in the response. */
  fields: string[];
}

export interface Report {
  calls: ReportedCall[];
  /** In the last part, if the REST API says so. */
  quota?: Quota;
}

/** A REST call that fails, and the age of the data in place of its response. */
export interface StaleData {
  path: string;
  ageSeconds: number;
}

/** The events of a live query so far. */
export interface LiveRun {
  events: number;
  lastAt: Date;
  /** The stale data of the last event, with the time that it is from. */
  stale: { path: string; asOf: Date }[];
  /** Of the latest event that has one. */
  quota: Quota | undefined;
  /** When the poll that is furthest behind last succeeded. */
  checkedAt: Date;
  /** True if polls have failed or were not made since. */
  isOverdue: boolean;
}

/** A REST call that an operation would make. */
export interface PlannedCall {
  method: string;
  path: string;
  fields: string[];
  /** The list for each of whose elements the call is made. */
  forEach?: string;
}

export interface Plan {
  calls: PlannedCall[];
  /** How many more there are. */
  omittedCalls?: number;
  cost: Cost;
  limit: number;
  /** The limit that the operation exceeds, and what to lower. */
  exceeded?: { field: string; message: string };
  /** Of a live query: the interval of its polls, and the REST calls that they make. */
  live?: LivePlan;
}

export interface LivePlan {
  everySeconds: number;
  /** For what the document names. */
  callsPerMinute: number;
  /** With the resources that only the data name. */
  atMostPerMinute: number;
  /** For all live queries of a key. */
  limitPerMinute: number;
}
