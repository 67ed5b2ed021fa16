import type { Caller, UpstreamCall } from './caller.ts';

export type Report = (source: UpstreamCall['source'], status: number | null, more?: More) => UpstreamCall;

export interface More {
  retryAfter?: number | undefined;
  ageMs?: number;
}

/** Hears of each call that was made and failed, and for whom; `error` where there is no answer to judge by, or none that can be used. */
export type HearFailure = (call: FailedCall, caller: Caller, error?: unknown) => void;

type FailedCall = Pick<UpstreamCall, 'path' | 'status'> & { readonly durationMs?: number };

/** Tells the caller of one call, with the time from now on. */
export function reporterOf(caller: Caller, path: string): Report {
  const startedAtMs = performance.now();
  return (source, status, more) => tell(caller, path, startedAtMs, source, status, more);
}

/** Tells the caller of one call that was begun at `startedAtMs`. */
export function tell(
  { report }: Caller,
  path: string,
  startedAtMs: number,
  source: UpstreamCall['source'],
  status: number | null,
  { retryAfter, ageMs }: More = nothing,
): UpstreamCall {
  const call: UpstreamCall = { method: 'GET', path, status, durationMs: msSince(startedAtMs), source };
  if (ageMs !== undefined) call.ageMs = ageMs;
  if (retryAfter !== undefined) call.retryAfter = retryAfter;
  report?.(call);
  return call;
}

const nothing: More = {};

/** Milliseconds to the microsecond: the clock has no more. */
export function msSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
