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

/**
 * The REST API, one method an endpoint (REST document, section 4). A resource that is missing, or another
 * partner's, is `null`; every other failure is an UpstreamError.
 */
export interface UpstreamClient {
  /** `include` in any order; the path has one order, so that equal requests are equal paths. */
  getSite(caller: Caller, id: string, include: readonly Relation[]): Promise<Site | null>;
  getConversationContext(caller: Caller, id: string): Promise<ConversationContext | null>;
  /** Resolves with the failures of the REST API. @throws UpstreamBudgetExceeded, UpstreamCancelled */
  getHealth(caller: Caller): Promise<Health>;
}

/** The endpoints, by calls that `send` makes. */
export function createEndpoints(send: Send) {
  // One response is read once, however many callers share it: its body may be of a megabyte.
  const bodyOf = memoized(healthBodyFrom);
  const client: UpstreamClient = {
    // As by `outcomeOf`, without its frames: most calls are for sites.
    getSite(caller, id, include) {
      const site = new SyncPromise<Site | null>();
      send(new UpstreamRequest(caller, new SiteTarget(id, include)), (outcome) =>
        settle(site, outcome, resourceOf<Site>),
      );
      return site;
    },
    getConversationContext: (caller, id) =>
      outcomeOf(send, new UpstreamRequest(caller, contextTarget(id)), resourceOf<ConversationContext>),

    async getHealth(caller) {
      const startedAtMs = performance.now();
      const read = (response: UpstreamResponse) => ({ statusCode: response.status, body: bodyOf(response) });
      const request = new UpstreamRequest(caller, healthTarget);
      const { statusCode, body } = await outcomeOf(send, request, read).catch(healthFromError);
      const reachable = statusCode !== null && statusCode >= 200 && statusCode < 300;
      return { reachable, statusCode, latencyMs: msSince(startedAtMs), body };
    },
  };
  return {
    ...client,
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

type HealthOutcome = Pick<Health, 'statusCode' | 'body'>;

/** The JSON of a health response; null if it is not JSON, or nests too deep to be serialized again. */
function healthBodyFrom({ body }: Pick<UpstreamResponse, 'body'>): unknown {
  try {
    return parse(textOf(body), 0) ?? null;
  } catch {
    return null;
  }
}

/** A failed health call means an unreachable API; only a cancelled one or one over the budget rejects. */
function healthFromError(error: unknown): HealthOutcome {
  if (!(error instanceof UpstreamError)) throw error;
  if (error instanceof UpstreamCancelled || error instanceof UpstreamBudgetExceeded) throw error;
  if (error instanceof UpstreamUnreached) return { statusCode: error.status, body: null };
  return { statusCode: error instanceof UpstreamRateLimited ? 429 : null, body: null };
}
