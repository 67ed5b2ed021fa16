import type { Caller, UpstreamCall } from './caller.ts';
import type { ResponseHandler, UpstreamRequest } from './layer.ts';

/** What a report may hold besides the status. */
interface Details {
  retryAfter?: number | undefined;
  ageMs?: number;
  isRepeated?: boolean;
}

/** Called for each call that was sent and failed; `error` where no response came, or none that can be used. */
export type OnFailure = (call: FailedCall, caller: Caller, error?: unknown) => void;

type FailedCall = Pick<UpstreamCall, 'path' | 'status'> & { readonly durationMs?: number };

/** Reports to the caller a call that began at `startedAtMs` and ends now. */
export function reportCall(
  { report }: Caller,
  path: string,
  startedAtMs: number,
  source: UpstreamCall['source'],
  status: number | null,
  { retryAfter, ageMs, isRepeated }: Details = none,
): UpstreamCall {
  const call: UpstreamCall = { method: 'GET', path, status, durationMs: msSince(startedAtMs), source };
  if (isRepeated) call.attempt = 2;
  if (ageMs !== undefined) call.ageMs = ageMs;
  if (retryAfter !== undefined) call.retryAfter = retryAfter;
  report?.(call, startedAtMs);
  return call;
}

const none: Details = {};

/** Ends a request that is not sent, and reports the layer that stopped it. */
export function reject(
  { caller, target, startedAtMs, isRepeated }: UpstreamRequest,
  handler: ResponseHandler,
  source: UpstreamCall['source'],
  error: Error,
  retryAfter?: number,
): void {
  try {
    reportCall(caller, target.path, startedAtMs, source, retryAfter === undefined ? null : 429, {
      retryAfter,
      isRepeated,
    });
  } finally {
    handler.onError(error);
  }
}

/** Milliseconds to the microsecond, which is the resolution of the clock. */
export function msSince(startedAtMs: number): number {
  return Math.round((performance.now() - startedAtMs) * 1000) / 1000;
}
