import { SyncPromise } from '../sync-promise.ts';
import { createMemoryCache } from './cache/memory-cache.ts';
import { createSharedCache } from './cache/shared-cache.ts';
import { msSince, UpstreamRequest, type UpstreamResponse, type Validator } from './call.ts';
import type { Caller } from './caller.ts';
import { parse, serializable } from './decoding/decoding.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled, UpstreamError, UpstreamRateLimited } from './errors.ts';
import { createPolls, type Polls, type PollsOptions } from './polls/polls.ts';
import { createSharedPolls } from './polls/shared-polls.ts';
import { createRateLimitGate } from './rate-limit/rate-limit-gate.ts';
import { createSharedRateLimitGate } from './rate-limit/shared-rate-limit-gate.ts';
import { createRedisConnection, type RedisConnection } from './redis.ts';
import type { ConversationContext, Health, Relation, Site } from './resources.ts';
import { createStack, type StackOptions, type StackState } from './stack.ts';
import { ContextTarget, healthTarget, type ResourceTarget, SiteTarget, type Target } from './target.ts';

/**
 * The REST API, one method an endpoint (REST document, section 4). A resource that is missing, or another partner's,
 * is `null`; every other failure is an UpstreamError.
 */
export interface UpstreamClient {
  /** `include` in any order; the path has one order, so that equal requests are equal paths. */
  getSite(caller: Caller, id: string, include: readonly Relation[]): Promise<Site | null>;
  getConversationContext(caller: Caller, id: string): Promise<ConversationContext | null>;
  /** Resolves with the failures of the REST API. @throws UpstreamBudgetExceeded, UpstreamCancelled */
  getHealth(caller: Caller): Promise<Health>;
  close(): Promise<void>;
}

/** The client of a running gateway. */
export interface RunningClient extends UpstreamClient {
  /** What live queries read. */
  polls: Polls | null;
  /** Subscribes to the other gateways, where they share a Redis; settles after a second at most. */
  join(): Promise<void>;
  state(): StackState;
}

export interface UpstreamOptions extends StackOptions {
  cache: StackOptions['cache'] & {
    /** How much memory of this process it may take. */
    maxBytes: number;
  };
  /** Absent or null: no live queries. */
  live?: Pick<PollsOptions, 'staleMs' | 'callsPerMinute' | 'maxPollsPerKey' | 'maxBytes'> | null;
  /** Redis or Valkey, where gateways share cached responses and rate limits; null for none. */
  redisUrl: string | null;
  /** Called with what the operator should know. */
  onFault: (fault: Error) => void;
}

/** A client of the REST API; it connects when first called. */
export function createUpstreamClient(options: UpstreamOptions): RunningClient {
  const { redisUrl, onFault } = options;
  const redis = redisUrl === null ? null : createRedisConnection(redisUrl, onFault);
  const sharedGate = redis && createSharedRateLimitGate(redis);
  const stack = createStack(options, sharedGate ?? createRateLimitGate(), createCache(options.cache, redis));

  function send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const response = new SyncPromise<UpstreamResponse>();
    stack.send(request, (outcome) => {
      if (outcome instanceof Error) response.reject(outcome);
      else response.resolve(outcome);
    });
    return response;
  }

  function sendPoll(caller: Caller, target: Target, validator: Validator | null): Promise<UpstreamResponse> {
    const request = new UpstreamRequest(caller, target);
    request.isPoll = true;
    request.validator = validator;
    return send(request);
  }

  /** The decoding layer has set the resource from the target, which is of a T. */
  function get<T>(caller: Caller, target: ResourceTarget<T>): Promise<T | null> {
    const resource = new SyncPromise<T | null>();
    stack.send(new UpstreamRequest(caller, target), (outcome) => {
      if (outcome instanceof Error) resource.reject(outcome);
      else resource.resolve(outcome.resource as T | null);
    });
    return resource;
  }

  return {
    polls: options.live
      ? createPolls({ ...options.live, send: sendPoll, shared: redis && createSharedPolls(redis) })
      : null,
    getSite: (caller, id, include) => get(caller, new SiteTarget(id, include)),
    getConversationContext: (caller, id) => get(caller, new ContextTarget(id)),

    async getHealth(caller) {
      const startedAtMs = performance.now();
      const response = await send(new UpstreamRequest(caller, healthTarget)).catch(healthFromError);
      return {
        reachable: response !== null && response.status >= 200 && response.status < 300,
        statusCode: response?.status ?? null,
        latencyMs: msSince(startedAtMs),
        body: response ? serializable(parse(response.body)) : null,
      };
    },

    state: stack.state,
    join: async () => sharedGate?.subscribe(),

    async close() {
      redis?.close();
      await stack.close();
    },
  };
}

function createCache({ ttl, maxBytes }: UpstreamOptions['cache'], redis: RedisConnection | null) {
  if (ttl.freshMs + ttl.staleMs === 0) return null;
  return redis ? createSharedCache(redis, ttl) : createMemoryCache(maxBytes);
}

/** A failed health call means an unreachable API; only a call that was cancelled or exceeds the budget rejects. */
function healthFromError(error: unknown): Pick<UpstreamResponse, 'status' | 'body'> | null {
  if (!(error instanceof UpstreamError)) throw error;
  if (error instanceof UpstreamCancelled || error instanceof UpstreamBudgetExceeded) throw error;
  return error instanceof UpstreamRateLimited ? { status: 429, body: Buffer.alloc(0) } : null;
}
