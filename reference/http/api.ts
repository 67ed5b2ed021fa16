import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Store } from '../database/store.ts';
import type { Caller, Keyring } from '../keys/keyring.ts';
import { createLinkPages } from '../keys/link-pages.ts';
import type { Links } from '../keys/links.ts';
import { headersFromRateLimit, type Limiter, type RateLimitResult } from '../rate-limit/limiter.ts';
import { handleScenario, isScenarioTarget } from '../scenarios/endpoint.ts';
import type { Reply, Scenarios } from '../scenarios/scenarios.ts';
import { createEndpoints } from './endpoints.ts';
import { responseFromError, responseFromProblem } from './problems.ts';
import { type ApiResponse, responseFromJson, sendResponse } from './response.ts';
import { isLinkTarget, pathFromTarget } from './targets.ts';

/** One request as the API received it, without its key. */
export interface ObservedRequest {
  method: string;
  /** The request target, with its query, as received. */
  path: string;
  /** Null if a scenario closed the connection. */
  status: number | null;
  /** Null if no key identified the caller. */
  partnerId: string | null;
  /** The public name of that key, its first eight characters. */
  keyName: string | null;
  /** From the head of the request to its response. */
  durationMs: number;
}

export interface ApiOptions {
  store: Store;
  keyring: Keyring;
  limiter: Limiter;
  links: Links;
  siteIdPrefix: string;
  /** The body of `/v1/openapi.json`, as JSON text. */
  openapi: string;
  /** Header fields of every response that has no `Deprecation` of its own, alternating names and values. */
  commonHeaders: readonly string[];
  /** How the API misbehaves; undefined in production, where it does not. */
  scenarios?: Scenarios | undefined;
  onRequest?: ((request: ObservedRequest) => void) | undefined;
  /** Called with the error behind a 500 or 503. */
  onFault?: ((error: unknown) => void) | undefined;
}

/** The response to a request, with the key that it has and the state of its rate limit, if they are known. */
interface Outcome extends Reply {
  caller: Caller | null;
}

/** The endpoints of section 4, behind the keys of section 5 and the limits of section 8. */
export function createApi(options: ApiOptions): RequestListener {
  const { keyring, limiter, links, openapi, commonHeaders, scenarios, onRequest, onFault } = options;
  const endpoints = createEndpoints(options);
  const respondWithPage = createLinkPages(links, onFault);

  /** Checks the key, then the rate limit, then reads. */
  async function readWithKey({ method, url = '/', headersDistinct }: IncomingMessage): Promise<Outcome> {
    let caller: Caller | null = null;
    let limit: RateLimitResult | null = null;
    try {
      caller = await keyring.identify(headersDistinct['x-api-key']);
      if (!caller) return withoutKey(responseFromProblem('key-refused'));
      limit = await limiter.consume(caller.keyName, caller.rateLimit);
      const response = limit.isAllowed
        ? await read(method, url, caller)
        : responseFromProblem('rate-limited');
      return { response, caller, limit };
    } catch (error) {
      onFault?.(error);
      return { response: responseFromError(error), caller, limit };
    }
  }

  /** Checks the scope before the id, so that a key without the scope cannot probe which ids are valid. */
  function read(method: string | undefined, target: string, { partnerId, scopes }: Caller) {
    const path = pathFromTarget(target);
    const endpoint = endpoints.find(({ pattern }) => pattern.test(path));
    if (!endpoint) return responseFromProblem('not-found');
    if (!isRead(method)) return responseFromProblem('method-not-allowed');
    if (endpoint.scope !== null && !scopes.has(endpoint.scope)) return responseFromProblem('scope-missing');
    return endpoint.read(partnerId, target, path);
  }

  function respond(incoming: IncomingMessage): Outcome | Promise<Outcome> {
    const { method, url = '/' } = incoming;
    const path = pathFromTarget(url);
    if (path === '/v1/openapi.json')
      return withoutKey(
        isRead(method) ? responseFromJson(openapi) : responseFromProblem('method-not-allowed'),
      );
    return /^\/v1(\/|$)/.test(path) ? readWithKey(incoming) : withoutKey(responseFromProblem('not-found'));
  }

  /** The response, which a scenario may replace; null if the connection closes without one. */
  async function replyTo(incoming: IncomingMessage, outgoing: ServerResponse, outcome: Outcome) {
    const act = scenarios?.at(incoming.url ?? '/');
    return act ? act(outcome, outcome.caller, outgoing) : outcome;
  }

  return async (incoming, outgoing) => {
    const startedAtMs = performance.now();
    const { method = '', url: target = '/' } = incoming;
    // The path of a link is a secret, and `onRequest` may write a log.
    if (isLinkTarget(target))
      return sendResponse(outgoing, await respondWithPage(method, pathFromTarget(target)), []);
    const isScenario = scenarios !== undefined && isScenarioTarget(target);
    const outcome = isScenario
      ? withoutKey(await handleScenario(incoming, scenarios))
      : await respond(incoming);
    const reply = isScenario ? outcome : await replyTo(incoming, outgoing, outcome);
    if (reply) {
      // The scenario `sunset` announces an end of its own.
      const common = reply.response.headers?.includes('deprecation') ? [] : commonHeaders;
      const limits = reply.limit ? headersFromRateLimit(reply.limit) : [];
      sendResponse(outgoing, reply.response, [...limits, ...common]);
    } else outgoing.destroy();
    const { partnerId = null, keyName = null } = outcome.caller ?? {};
    const durationMs = performance.now() - startedAtMs;
    onRequest?.({
      method,
      path: target,
      status: reply?.response.status ?? null,
      partnerId,
      keyName,
      durationMs,
    });
  };
}

function withoutKey(response: ApiResponse): Outcome {
  return { response, caller: null, limit: null };
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}
