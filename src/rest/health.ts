import { msSince, request, type Send, UpstreamRequest, type UpstreamResponse } from './call.ts';
import type { Caller } from './caller.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled, UpstreamError, UpstreamUnreached } from './errors.ts';
import { parse, textOf } from './json.ts';
import { memoized } from './memo.ts';
import { healthTarget } from './targets.ts';

/** The result of one health call. The REST document (4.1) does not specify its shape: the body stays JSON. */
export interface Health {
  reachable: boolean;
  statusCode: number | null;
  latencyMs: number;
  /** Null without a response, and if it is not JSON, or too large. */
  body: unknown;
}

type HealthOutcome = Pick<Health, 'statusCode' | 'body'>;

/** A resource with more levels could not be serialized again. */
const MAX_LEVELS = 100;

/** Resolves also if the REST API fails, with what is known of it. @throws UpstreamBudgetExceeded, UpstreamCancelled */
export async function getHealth(send: Send, caller: Caller): Promise<Health> {
  const startedAtMs = performance.now();
  const outcome = request(send, new UpstreamRequest(caller, healthTarget), healthIn);
  const { statusCode, body } = await outcome.catch(healthFromError);
  const reachable = statusCode !== null && statusCode >= 200 && statusCode < 300;
  return { reachable, statusCode, latencyMs: msSince(startedAtMs), body };
}

/** One response is read once, however many callers share it: its body may be of a megabyte. */
const healthIn = memoized(({ status, body }: UpstreamResponse): HealthOutcome => {
  try {
    const json = parse(textOf(body)) ?? null;
    return { statusCode: status, body: nestsAtMost(MAX_LEVELS, json) ? json : null };
  } catch {
    return { statusCode: status, body: null };
  }
});

function nestsAtMost(levels: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(levels - 1, inner));
}

/** A failed health call means an unreachable API; only a cancelled one or one over the budget rejects. */
function healthFromError(error: unknown): HealthOutcome {
  if (!(error instanceof UpstreamError)) throw error;
  if (error instanceof UpstreamCancelled || error instanceof UpstreamBudgetExceeded) throw error;
  return { statusCode: error instanceof UpstreamUnreached ? error.status : null, body: null };
}
