import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Store } from '../database/store.ts';
import type { Caller, Keyring } from '../keys/keyring.ts';
import { createLinkPages } from '../keys/link-pages.ts';
import type { Links } from '../keys/links.ts';
import { headersFromRateLimit, type Limiter, type RateLimitResult } from '../rate-limit/limiter.ts';
import { handleScenario, isScenarioTarget } from '../scenarios/endpoint.ts';
import type { Reply, Scenarios } from '../scenarios/scenarios.ts';
import { createEndpoints, type Endpoint } from './endpoints.ts';
import { responseFromError, responseFromProblem } from './problems.ts';
import { type ApiResponse, responseFromJson, sendResponse } from './response.ts';
import { isLinkTarget, pathFromTarget } from './targets.ts';

/** One request as the API received it, without its key. */
export interface ObservedRequest {
  method: string;
  /** The request target, with its query, as received. */
  path: string;
  /** Null where a scenario closed the connection. */
  status: number | null;
  /** Null where no key identified the caller. */
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

interface ApiEnv {
  Bindings: HttpBindings;
}

type Handler = (caller: Caller, target: string, path: string) => ApiResponse | Promise<ApiResponse>;

const READ_METHODS = ['GET', 'HEAD'];

/** The endpoints of section 4, behind the keys of section 5 and the limits of section 8. */
export function createApi(options: ApiOptions): RequestListener {
  const { keyring, limiter, openapi, commonHeaders, scenarios, onRequest, onFault } = options;
  const startedAtMs = new WeakMap<IncomingMessage, number>();
  const app = new Hono<ApiEnv>({
    getPath: (_, options) => pathFromTarget(options?.env?.incoming.url ?? '/'),
  });

  const send = (
    { incoming, outgoing }: HttpBindings,
    response: ApiResponse,
    caller: Caller | null = null,
    limit: RateLimitResult | null = null,
  ): Response | Promise<Response> => {
    const act = scenarios?.at(incoming.url ?? '/');
    const deliver = (reply: Reply | null): Response => {
      // The scenario `sunset` announces an end of its own.
      const common = reply?.response.headers?.includes('deprecation') ? [] : commonHeaders;
      if (!reply) outgoing.destroy();
      else sendResponse(outgoing, reply.response, [...headersFrom(reply.limit), ...common]);
      observe(incoming, reply?.response.status ?? null, caller);
      return RESPONSE_ALREADY_SENT;
    };
    const reply = { response, limit };
    return act ? act(reply, caller, outgoing).then(deliver) : deliver(reply);
  };

  const observe = (incoming: IncomingMessage, status: number | null, caller: Caller | null): void => {
    const { method = '', url: path = '/' } = incoming;
    // The path of a link is a secret, and `onRequest` may write a log.
    if (!onRequest || isLinkTarget(path)) return;
    const { partnerId = null, keyName = null } = caller ?? {};
    const durationMs = performance.now() - (startedAtMs.get(incoming) ?? performance.now());
    onRequest({ method, path, status, partnerId, keyName, durationMs });
  };

  /** Checks the key, then the rate limit, then calls the handler. */
  const authenticated = (handler: Handler) => async (c: Context<ApiEnv>) => {
    const { incoming } = c.env;
    let caller: Caller | null = null;
    let limit: RateLimitResult | null = null;
    try {
      caller = await keyring.identify(incoming.headersDistinct['x-api-key']);
      if (!caller) return send(c.env, responseFromProblem('key-refused'));
      limit = await limiter.consume(caller.keyName, caller.rateLimit);
      const response = limit.isAllowed
        ? await handler(caller, incoming.url ?? '/', c.req.path)
        : responseFromProblem('rate-limited');
      return send(c.env, response, caller, limit);
    } catch (error) {
      onFault?.(error);
      return send(c.env, responseFromError(error), caller, limit);
    }
  };

  const isRead = (c: Context<ApiEnv>) => READ_METHODS.includes(c.req.method);

  app.all('/v1/openapi.json', (c) =>
    send(c.env, isRead(c) ? responseFromJson(openapi) : responseFromProblem('method-not-allowed')),
  );
  for (const endpoint of createEndpoints(options)) {
    const read = authenticated(handlerOf(endpoint));
    const reject = authenticated(() => responseFromProblem('method-not-allowed'));
    app.all(endpoint.path, (c) => (isRead(c) ? read(c) : reject(c)));
  }
  app.all(
    '/v1/*',
    authenticated(() => responseFromProblem('not-found')),
  );

  app.route('/link', createLinkPages(options.links, onFault));

  app.notFound((c) => send(c.env, responseFromProblem('not-found')));
  app.onError((error, c) => {
    onFault?.(error);
    return send(c.env, responseFromError(error));
  });
  const listener = getRequestListener(app.fetch, {
    // The gateway may share this process and uses the platform's Request and Response.
    overrideGlobalObjects: false,
    errorHandler: () => undefined,
  });
  return async (incoming, outgoing) => {
    if (onRequest) startedAtMs.set(incoming, performance.now());
    if (scenarios && isScenarioTarget(incoming.url ?? '/')) {
      const response = await handleScenario(incoming, scenarios);
      sendResponse(outgoing, response, commonHeaders);
      return observe(incoming, response.status, null);
    }
    if (incoming.headersDistinct.host?.length === 1) await listener(incoming, outgoing);
    // Hono sends nothing where Host and target form no valid URL.
    if (!outgoing.headersSent && !outgoing.destroyed) {
      await send({ incoming, outgoing }, responseFromProblem('malformed-request'));
    }
  };
}

const headersFrom = (limit: RateLimitResult | null) => (limit ? headersFromRateLimit(limit) : []);

/** Checks the scope before the id, so that a key without the scope cannot probe which ids are valid. */
function handlerOf({ scope, read }: Endpoint): Handler {
  return (caller, target, path) => {
    if (scope !== null && !caller.scopes.has(scope)) return responseFromProblem('scope-missing');
    return read(caller.partnerId, target, path);
  };
}
