import type { Caller, UpstreamCall } from './caller.ts';

export type Report = (
  source: UpstreamCall['source'],
  status: number | null,
  more?: { retryAfter?: number | undefined; ageMs?: number },
) => void;

/** Tells the caller of one call, with the time from now on. */
export function reporterOf({ report }: Caller, path: string): Report {
  const startedAt = performance.now();
  return (source, status, { retryAfter, ageMs } = nothing) => {
    if (!report) return;
    const call: UpstreamCall = { method: 'GET', path, status, durationMs: msSince(startedAt), source };
    if (ageMs !== undefined) call.ageMs = ageMs;
    if (retryAfter !== undefined) call.retryAfter = retryAfter;
    report(call);
  };
}

const nothing = {};

/** Milliseconds to the microsecond: the clock has no more. */
export function msSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
