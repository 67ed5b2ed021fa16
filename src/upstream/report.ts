import type { Caller, UpstreamCall } from './caller.ts';

export type Report = (
  source: UpstreamCall['source'],
  status: number | null,
  more?: { retryAfter?: number | undefined; ageMs?: number },
) => UpstreamCall;

/** Hears of each call that was made and failed, and for whom; `error` where there is no answer to judge by, or none that can be used. */
export type HearFailure = (call: FailedCall, caller: Caller, error?: unknown) => void;

type FailedCall = Pick<UpstreamCall, 'path' | 'status'> & { readonly durationMs?: number };

/** Tells the caller of one call, with the time from now on. */
export function reporterOf({ report }: Caller, path: string): Report {
  const startedAt = performance.now();
  return (source, status, { retryAfter, ageMs } = nothing) => {
    const call: UpstreamCall = { method: 'GET', path, status, durationMs: msSince(startedAt), source };
    if (ageMs !== undefined) call.ageMs = ageMs;
    if (retryAfter !== undefined) call.retryAfter = retryAfter;
    report?.(call);
    return call;
  };
}

const nothing = {};

/** Milliseconds to the microsecond: the clock has no more. */
export function msSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
