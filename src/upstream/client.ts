import { SyncPromise } from '../sync-promise.ts';
import { msSince, type Send, UpstreamRequest, type UpstreamResponse } from './call.ts';
import type { Caller } from './caller.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled, UpstreamError, UpstreamRateLimited } from './errors.ts';
import { createRateLimitGate } from './guards/rate-limit.ts';
import type { SharedGate } from './guards/shared-gate.ts';
import { type Drift, mayBeInexact, parse, type SentBody, textOf, uncounted, withoutInexact } from './json.ts';
import {
  type ConversationContext,
  contextTarget,
  type Health,
  healthTarget,
  type Relation,
  type Site,
  SiteTarget,
} from './resources.ts';
import { createStack, type StackOptions } from './stack.ts';

export type { UpstreamBounds } from './stack.ts';

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

/** What features contribute to the way of a REST call; each is absent where nothing is shared. */
export interface UpstreamParts extends Pick<StackOptions, 'outer' | 'inner' | 'notices'> {
  sharedGate?: SharedGate | undefined;
  /** Called once before the first call. Settles after a second at most. */
  join?: (() => Promise<unknown>) | undefined;
  close?: (() => void) | undefined;
}

interface UpstreamOptions extends StackOptions, UpstreamParts {}

/** A client of the REST API; it connects when first called. */
export function createUpstreamClient(options: UpstreamOptions) {
  const stack = createStack(options, createRateLimitGate(options.sharedGate));

  return {
    ...createEndpoints(stack.send, options.drift),
    async close() {
      options.close?.();
      await stack.close();
    },
    /** Sends any request, and resolves to its response. Rejects with an UpstreamError. */
    request: (request: UpstreamRequest): Promise<UpstreamResponse> => outcomeOf(stack.send, request, itself),
    gauges: stack.gauges,
    /** Learns from the other gateways, where something is shared; settles after a second at most. */
    join: async () => options.join?.(),
  };
}

/** The endpoints, by calls that `send` makes; `drift` gets that of the health. */
export function createEndpoints(send: Send, drift: Drift = uncounted): UpstreamClient {
  return {
    getSite: (caller, id, include) =>
      outcomeOf(send, new UpstreamRequest(caller, new SiteTarget(id, include)), resourceOf<Site>),
    getConversationContext: (caller, id) =>
      outcomeOf(send, new UpstreamRequest(caller, contextTarget(id)), resourceOf<ConversationContext>),

    async getHealth(caller) {
      const startedAtMs = performance.now();
      const request = new UpstreamRequest(caller, healthTarget);
      const response = await outcomeOf(send, request, itself).catch(healthFromError);
      return {
        reachable: response !== null && response.status >= 200 && response.status < 300,
        statusCode: response?.status ?? null,
        latencyMs: msSince(startedAtMs),
        body: response ? healthFrom(response, drift) : null,
      };
    },
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

function itself<T>(value: T): T {
  return value;
}

/** A number that may be beyond the range of a double, in either direction. */
const LONG_EXPONENT = /\de[+-]?\d{3}/i;

type HealthResponse = SentBody & Pick<UpstreamResponse, 'status'> & { isDecoded?: boolean };

/** The JSON of a health response, or the error of its field; null where it is not JSON. */
export function healthFrom(response: HealthResponse, drift: Drift): unknown {
  const count = response.isDecoded ? uncounted : drift;
  response.isDecoded = true;
  try {
    const text = textOf(response, count);
    const json = parse(text);
    // To look at each number takes ten times as long as parsing: a body of a megabyte may come under 50 aliases.
    const isSuspect = mayBeInexact(text) || LONG_EXPONENT.test(text);
    if (json !== undefined && isSuspect && withoutInexact(text) !== null) count('Health.body');
    return serializable(json);
  } catch (error) {
    if (parse(response.body.toString()) === undefined) return null;
    count('Health.body');
    return error;
  }
}

/** A failed health call means an unreachable API; only a cancelled one or one over the budget rejects. */
function healthFromError(error: unknown): HealthResponse | null {
  if (!(error instanceof UpstreamError)) throw error;
  if (error instanceof UpstreamCancelled || error instanceof UpstreamBudgetExceeded) throw error;
  return error instanceof UpstreamRateLimited ? { status: 429, body: Buffer.alloc(0) } : null;
}

/** JSON that can be serialized again: null for more than 100 levels, which may be too deep for that. */
function serializable(json: unknown): unknown {
  return nestsAtMost(json, 100) ? (json ?? null) : null;
}

function nestsAtMost(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(inner, levels - 1));
}
