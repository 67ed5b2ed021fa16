import { memoized } from '../memo.ts';
import { SyncPromise } from '../sync-promise.ts';
import { msSince, type Send, UpstreamRequest, type UpstreamResponse } from './call.ts';
import type { Caller } from './caller.ts';
import {
  UpstreamBudgetExceeded,
  UpstreamCancelled,
  UpstreamError,
  UpstreamRateLimited,
  UpstreamUnreached,
} from './errors.ts';
import { type Drift, mayBeInexact, parse, textOf, uncounted, withoutInexact } from './json.ts';
import {
  type ConversationContext,
  contextTarget,
  type Health,
  healthTarget,
  type Relation,
  type Site,
  SiteTarget,
} from './resources.ts';

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

interface Endpoints extends UpstreamClient {
  /** Sends any request, and resolves to its response. Rejects with an UpstreamError. */
  request(request: UpstreamRequest): Promise<UpstreamResponse>;
}

/** The endpoints, by calls that `send` makes; `drift` gets that of the health. */
export function createEndpoints(send: Send, drift: Drift = uncounted): Endpoints {
  // One response is read once, however many callers share it: its body may be of a megabyte.
  const bodyOf = memoized((response: UpstreamResponse) => healthBodyFrom(response, drift));
  return {
    getSite: (caller, id, include) =>
      outcomeOf(send, new UpstreamRequest(caller, new SiteTarget(id, include)), resourceOf<Site>),
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

    request: (request) => outcomeOf(send, request, (response) => response),
  };
}

function outcomeOf<T>(send: Send, request: UpstreamRequest, toValue: (response: UpstreamResponse) => T) {
  const value = new SyncPromise<T>();
  send(request, (outcome) => {
    if (outcome instanceof Error) value.reject(outcome);
    else value.resolve(toValue(outcome));
  });
  return value;
}

/** The decoding layer has set it from the target, which is of a T. */
function resourceOf<T>({ resource }: UpstreamResponse): T | null {
  return resource as T | null;
}

type HealthOutcome = Pick<Health, 'statusCode' | 'body'>;

/** A number that may be beyond the range of a double, in either direction. */
const LONG_EXPONENT = /\de[+-]?\d{3}/i;

/** The JSON of a health response, or the error of its field; null where it is not JSON. */
export function healthBodyFrom(response: UpstreamResponse, drift: Drift): unknown {
  try {
    const text = textOf(response, drift);
    const json = parse(text);
    if (json === undefined) return null;
    // Looking at each number takes ten times as long as parsing.
    const isSuspect = mayBeInexact(text) || LONG_EXPONENT.test(text);
    if (isSuspect && withoutInexact(text) !== null) drift('Health.body');
    // More levels may be too deep to be serialized again.
    return nestsAtMost(json, 100) ? json : null;
  } catch (error) {
    if (!isJson(response.body.toString())) return null;
    drift('Health.body');
    return error;
  }
}

function isJson(text: string): boolean {
  try {
    return parse(text) !== undefined;
  } catch {
    return false;
  }
}

function nestsAtMost(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(inner, levels - 1));
}

/** A failed health call means an unreachable API; only a cancelled one or one over the budget rejects. */
function healthFromError(error: unknown): HealthOutcome {
  if (!(error instanceof UpstreamError)) throw error;
  if (error instanceof UpstreamCancelled || error instanceof UpstreamBudgetExceeded) throw error;
  if (error instanceof UpstreamUnreached) return { statusCode: error.status, body: null };
  return { statusCode: error instanceof UpstreamRateLimited ? 429 : null, body: null };
}
