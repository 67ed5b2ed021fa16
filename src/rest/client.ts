import { msSince, type Outcome, type Send, UpstreamRequest, type UpstreamResponse } from './call.ts';
import type { Caller } from './caller.ts';
import {
  UpstreamBudgetExceeded,
  UpstreamCancelled,
  UpstreamError,
  UpstreamRateLimited,
  UpstreamUnreached,
} from './errors.ts';
import { parse, textOf } from './json.ts';
import { memoized } from './memo.ts';
import {
  type ConversationContext,
  contextTarget,
  type Health,
  healthTarget,
  type Relation,
  type Site,
  SiteTarget,
} from './resources.ts';
import { SyncPromise } from './sync-promise.ts';

export type UpstreamClient = Omit<ReturnType<typeof createEndpoints>, 'request'>;

/** A resource with more levels could not be serialized again. */
const MAX_HEALTH_LEVELS = 100;

/**
 * The REST API, one method an endpoint (REST document, section 4), by calls that `send` makes. A resource that is
 * missing, or another partner's, is `null`; every other failure is an UpstreamError.
 */
export function createEndpoints(send: Send) {
  // One response is read once, however many callers share it: its body may be of a megabyte.
  const bodyOf = memoized(healthBodyFrom);
  return {
    /** `include` in any order; the path has one order, so that equal requests are equal paths. */
    getSite(caller: Caller, id: string, include: readonly Relation[]): Promise<Site | null> {
      // As by `outcomeOf`, without its frames: most calls are for sites.
      const site = new SyncPromise<Site | null>();
      send(new UpstreamRequest(caller, new SiteTarget(id, include)), (outcome) =>
        settle(site, outcome, resourceOf<Site>),
      );
      return site;
    },

    getConversationContext(caller: Caller, id: string): Promise<ConversationContext | null> {
      return outcomeOf(send, new UpstreamRequest(caller, contextTarget(id)), resourceOf<ConversationContext>);
    },

    /** Resolves with the failures of the REST API. @throws UpstreamBudgetExceeded, UpstreamCancelled */
    async getHealth(caller: Caller): Promise<Health> {
      const startedAtMs = performance.now();
      const read = (response: UpstreamResponse) => ({ statusCode: response.status, body: bodyOf(response) });
      const request = new UpstreamRequest(caller, healthTarget);
      const { statusCode, body } = await outcomeOf(send, request, read).catch(healthFromError);
      const reachable = statusCode !== null && statusCode >= 200 && statusCode < 300;
      return { reachable, statusCode, latencyMs: msSince(startedAtMs), body };
    },

    /** Sends any request, and resolves to its response. Rejects with an UpstreamError. */
    request: (request: UpstreamRequest) => outcomeOf(send, request, (response) => response),
  };
}

function outcomeOf<T>(send: Send, request: UpstreamRequest, toValue: (response: UpstreamResponse) => T) {
  const value = new SyncPromise<T>();
  send(request, (outcome) => settle(value, outcome, toValue));
  return value;
}

function settle<T>(value: SyncPromise<T>, outcome: Outcome, toValue: (response: UpstreamResponse) => T) {
  if (outcome instanceof Error) value.reject(outcome);
  else value.resolve(toValue(outcome));
}

/** Set by the decoding layer, from the target's `fromJson`. */
function resourceOf<T>({ resource }: UpstreamResponse): T | null {
  return resource as T | null;
}

/** Null if it is not JSON, or nests too deep. */
function healthBodyFrom({ body }: UpstreamResponse): unknown {
  try {
    const json = parse(textOf(body));
    return json !== undefined && nestsAtMost(MAX_HEALTH_LEVELS, json) ? json : null;
  } catch {
    return null;
  }
}

function nestsAtMost(levels: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(levels - 1, inner));
}

/** A failed health call means an unreachable API; only a cancelled one or one over the budget rejects. */
function healthFromError(error: unknown): Pick<Health, 'statusCode' | 'body'> {
  if (!(error instanceof UpstreamError)) throw error;
  if (error instanceof UpstreamCancelled || error instanceof UpstreamBudgetExceeded) throw error;
  if (error instanceof UpstreamUnreached) return { statusCode: error.status, body: null };
  return { statusCode: error instanceof UpstreamRateLimited ? 429 : null, body: null };
}
