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

/** The remaining quota of the key. Null: the REST API does not say. */
export interface Quota {
  /** Calls. */
  remaining: number;
  /** Calls in each window. */
  limit: number | null;
  /** When the response came: the seconds until the limit is full again. */
  resetSeconds: number | null;
}

/** The report of the gateway about the response of an operation. */
export interface Report {
  calls: readonly UpstreamCall[];
  budget?: { spent: number; limit: number } | undefined;
  quota?: Quota | undefined;
  /** The time of the oldest data that the gateway sent because the REST API failed, in milliseconds since 1970. */
  staleSince?: number | undefined;
  /** Fields that failed without an error of their own, because the response lists only the first ones. */
  omittedErrors: number;
}

interface Extensions {
  upstream?: Pick<Report, 'budget' | 'quota'> & { calls?: readonly UpstreamCall[] };
  /** Of an event of a live query, which has no report. */
  quota?: Quota;
  stale?: readonly { ageSeconds: number }[];
  omittedErrors?: number;
}

/** Reads the report of a response from its extensions. */
export function reportFrom(extensions: Record<string, unknown> = {}): Report {
  const { upstream, stale = [], omittedErrors = 0, quota = upstream?.quota } = extensions as Extensions;
  const oldest = Math.max(...stale.map(({ ageSeconds }) => ageSeconds));
  return {
    calls: upstream?.calls ?? [],
    budget: upstream?.budget,
    quota,
    staleSince: stale.length > 0 ? Date.now() - oldest * 1000 : undefined,
    omittedErrors,
  };
}

const unmade = new Set(['rate-limited', 'circuit-open', 'queue-full']);

/** How many of the calls the gateway made, or had a response for. */
export const countMade = (calls: readonly UpstreamCall[]) =>
  calls.filter(({ source }) => !unmade.has(source)).length;

const grouped = new Intl.NumberFormat('en');

/** 5,997 of 6,000 left, resets in 41 s; without the parts that the REST API does not say. */
export function formatQuota({ remaining, limit, resetSeconds }: Quota): string {
  const whole = limit === null ? '' : ` of ${grouped.format(limit)}`;
  const reset = resetSeconds === null ? '' : `, resets in ${resetSeconds} s`;
  return `${grouped.format(remaining)}${whole} left${reset}`;
}

/** Whether less than a fifth of the limit is left. */
export const isLow = ({ remaining, limit }: Quota) => limit !== null && remaining < limit / 5;
