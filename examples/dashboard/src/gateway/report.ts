import type { OperationResult } from 'urql';
import type { Quota } from './quota.ts';

/** A REST call that the gateway made for an operation: `x-explain: report`. */
export interface UpstreamCall {
  method: string;
  /** With the relations: `/v1/site/SITE-1001?include=clients`. */
  path: string;
  /** `network`, `cache`, `coalesced` …, or why the call was not made. */
  source: string;
  status: number | null;
  durationMs: number;
  /** Since the start of the operation. */
  startedMs?: number;
  /** The fields that caused the call, by their paths. */
  fields?: string[];
}

/** What the gateway says about the responses of one operation, besides its data. */
export interface Report {
  calls: UpstreamCall[];
  budget?: { spent: number; limit: number };
  /** Where the REST API says it. */
  quota?: Quota;
  /** The time of the oldest data that the gateway sent because the REST API failed, in milliseconds since 1970. */
  staleSince?: number;
  /** Fields that failed without an error of their own, because the response lists only the first ones. */
  omittedErrors: number;
  /** By which the operator finds the operation in the log. */
  requestId?: string;
}

const unmade = new Set(['rate-limited', 'circuit-open', 'queue-full']);

/** How many of the calls the gateway made, or had a response for. */
export const countMade = (calls: readonly UpstreamCall[]) =>
  calls.filter(({ source }) => !unmade.has(source)).length;

export const emptyReport: Report = { calls: [], omittedErrors: 0 };

interface Extensions {
  upstream?: Pick<Report, 'calls' | 'budget' | 'quota'>;
  /** Of an event of a live query, which has no report. */
  quota?: Quota;
  stale?: { path: string; ageSeconds: number }[];
  omittedErrors?: number;
}

/** Adds one part of a response. Parts may repeat calls that earlier ones have listed. */
export function addToReport(
  report: Report,
  { extensions = {}, error }: Pick<OperationResult, 'extensions' | 'error'>,
): Report {
  const { upstream, stale, omittedErrors, quota = upstream?.quota } = extensions as Extensions;
  const times = (stale ?? []).map(({ ageSeconds }) => Date.now() - ageSeconds * 1000);
  const staleSince = Math.min(report.staleSince ?? Number.POSITIVE_INFINITY, ...times);
  const requestId = (error?.response as Response | undefined)?.headers.get('x-request-id');
  return {
    ...report,
    ...(upstream?.budget && { budget: upstream.budget }),
    ...(quota && { quota }),
    ...(requestId && { requestId }),
    calls: distinct([...report.calls, ...(upstream?.calls ?? [])]),
    ...(Number.isFinite(staleSince) && { staleSince }),
    omittedErrors: omittedErrors ?? report.omittedErrors,
  };
}

function distinct<T extends object>(items: T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
