import { msSince, type Send, UpstreamRequest, type UpstreamResponse } from './call.ts';
import type { Caller } from './caller.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled, UpstreamError, UpstreamUnreached } from './errors.ts';
import { parse, textOf } from './json.ts';
import { memoized } from './memo.ts';
import type { ConversationContext, Health, Relation, Site } from './resources.ts';
import { SyncPromise } from './sync-promise.ts';
import { contextTarget, healthTarget, SiteTarget } from './targets.ts';

export type UpstreamClient = Omit<ReturnType<typeof createEndpoints>, 'request'>;

/** A resource with more levels could not be serialized again. */
const MAX_HEALTH_LEVELS = 100;

/**
 * The REST API, one method an endpoint (REST document, section 4), by calls that `send` makes. A resource that is
 * missing, or another partner's, is `null`; every other failure is an UpstreamError.
 */
export function createEndpoints(send: Send) {
  return {
    /** `include` in any order; the path has one order, so that equal requests are equal paths. */
    getSite(caller: Caller, id: string, include: readonly Relation[]): Promise<Site | null> {
      return requestResource(send, new UpstreamRequest(caller, new SiteTarget(id, include)));
    },

    getConversationContext(caller: Caller, id: string): Promise<ConversationContext | null> {
      return requestResource(send, new UpstreamRequest(caller, contextTarget(id)));
    },

    /** Resolves also if the REST API fails, with what is known of it. @throws UpstreamBudgetExceeded, UpstreamCancelled */
    async getHealth(caller: Caller): Promise<Health> {
      const startedAtMs = performance.now();
      const response = request(send, new UpstreamRequest(caller, healthTarget));
      const { statusCode, body } = await response.then(healthIn, healthFromError);
      const reachable = statusCode !== null && statusCode >= 200 && statusCode < 300;
      return { reachable, statusCode, latencyMs: msSince(startedAtMs), body };
    },

    request: (wanted: UpstreamRequest) => request(send, wanted),
  };
}

function request(send: Send, wanted: UpstreamRequest): Promise<UpstreamResponse> {
  const response = new SyncPromise<UpstreamResponse>();
  send(wanted, (outcome) => {
    if (outcome instanceof Error) response.reject(outcome);
    else response.resolve(outcome);
  });
  return response;
}

function requestResource<T>(send: Send, wanted: UpstreamRequest): Promise<T | null> {
  const resource = new SyncPromise<T | null>();
  send(wanted, (outcome) => {
    if (outcome instanceof Error) resource.reject(outcome);
    else resource.resolve(outcome.resource as T | null);
  });
  return resource;
}

type HealthOutcome = Pick<Health, 'statusCode' | 'body'>;

/** One response is read once, however many callers share it: its body may be of a megabyte. */
const healthIn = memoized(({ status, body }: UpstreamResponse): HealthOutcome => {
  try {
    const json = parse(textOf(body)) ?? null;
    return { statusCode: status, body: nestsAtMost(MAX_HEALTH_LEVELS, json) ? json : null };
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
