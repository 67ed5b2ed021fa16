import type { OperationResult } from 'urql';

/** A REST call that the gateway made for an operation: `x-explain: report`. */
export interface UpstreamCall {
  method: string;
  /** With the relations: `/v1/site/SITE-1001?include=clients`. */
  path: string;
  /** `network`, `cache`, `coalesced` … */
  source: string;
  status: number | null;
  durationMs: number;
  /** Since the start of the operation. */
  startedMs?: number;
  /** The fields that caused the call, by their paths. */
  fields?: string[];
}

/** A response that the gateway served from its cache, because the REST API failed. */
interface StaleData {
  path: string;
  ageSeconds: number;
}

/** What the gateway says about the responses of one operation, besides its data. */
export interface Report {
  calls: UpstreamCall[];
  budget?: { spent: number; limit: number };
  stale: StaleData[];
  /** Fields that failed without an error of their own, because the response lists only the first ones. */
  omittedErrors: number;
  /** By which the operator finds the operation in the log. */
  requestId?: string;
}

export const emptyReport: Report = { calls: [], stale: [], omittedErrors: 0 };

interface Extensions {
  upstream?: Pick<Report, 'calls' | 'budget'>;
  stale?: StaleData[];
  omittedErrors?: number;
}

/** Adds one part of a response. Parts may repeat calls that earlier ones have listed. */
export function addToReport(
  report: Report,
  { extensions = {}, error }: Pick<OperationResult, 'extensions' | 'error'>,
): Report {
  const { upstream, stale, omittedErrors } = extensions as Extensions;
  const requestId = (error?.response as Response | undefined)?.headers.get('x-request-id');
  return {
    ...report,
    ...(upstream?.budget && { budget: upstream.budget }),
    ...(requestId && { requestId }),
    calls: distinct([...report.calls, ...(upstream?.calls ?? [])]),
    stale: distinct([...report.stale, ...(stale ?? [])]),
    omittedErrors: omittedErrors ?? report.omittedErrors,
  };
}

function distinct<T extends object>(items: T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
