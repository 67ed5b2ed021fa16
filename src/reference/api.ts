import type { RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { type Answer, answerFromJson, sendAnswer } from './answer.ts';
import { createEndpoints, type Endpoint } from './endpoints.ts';
import type { Caller, Keyring } from './keyring.ts';
import { fieldsFromTurn, type Limiter } from './limit.ts';
import { createLinkPages } from './link-pages.ts';
import type { Links } from './links.ts';
import { isLinkTarget, pathFromTarget } from './paths.ts';
import { answerFromProblem } from './problems.ts';
import type { Store } from './store.ts';

/** One request as the API saw it. The key is not in it. */
export interface SeenRequest {
  method: string;
  /** The request target, with its query, as received. */
  path: string;
  status: number;
  /** Null where no key identified the caller. */
  partnerId: string | null;
}

export interface ApiParts {
  store: Store;
  keyring: Keyring;
  limiter: Limiter;
  links: Links;
  siteIdPrefix: string;
  /** The description that `/v1/openapi.json` answers, as JSON text. */
  openapi: string;
  /** Header fields of every answer, name and value in turn. */
  standing: readonly string[];
  onRequest?: ((seen: SeenRequest) => void) | undefined;
  /** Hears what a 500 does not say. */
  onFault?: ((error: unknown) => void) | undefined;
}

interface ApiEnv {
  Bindings: HttpBindings;
}

type Ask = (caller: Caller, target: string, path: string) => Answer | Promise<Answer>;

const READING = ['GET', 'HEAD'];

/** The endpoints of section 4, behind the keys of section 5 and the limits of section 8. */
export function createApi(parts: ApiParts): RequestListener {
  const { keyring, limiter, openapi, standing, onRequest, onFault } = parts;
  const app = new Hono<ApiEnv>({
    getPath: (_, options) => pathFromTarget(options?.env?.incoming.url ?? '/'),
  });

  const send = (
    { incoming, outgoing }: HttpBindings,
    answer: Answer,
    caller: Caller | null,
    fields = standing,
  ): Response => {
    const [method = '', path = '/', partnerId = null] = [incoming.method, incoming.url, caller?.partnerId];
    // A link's path is a secret, and `onRequest` may be a log.
    if (!isLinkTarget(path)) onRequest?.({ method, path, status: answer.status, partnerId });
    sendAnswer(outgoing, answer, fields);
    return RESPONSE_ALREADY_SENT;
  };

  /** In this order: the key, its turn, and only then what it asks. */
  const behindTheDoor = (ask: Ask) => async (c: Context<ApiEnv>) => {
    const { incoming } = c.env;
    let caller: Caller | null = null;
    let fields = standing;
    try {
      caller = await keyring.identify(incoming.headersDistinct['x-api-key']);
      if (!caller) return send(c.env, answerFromProblem('key-refused'), null);
      const turn = await limiter.take(caller.keyName);
      fields = [...fieldsFromTurn(limiter.policy, turn), ...standing];
      const answer = turn.passes
        ? await ask(caller, incoming.url ?? '/', c.req.path)
        : answerFromProblem('rate-limited');
      return send(c.env, answer, caller, fields);
    } catch (error) {
      onFault?.(error);
      return send(c.env, answerFromProblem('internal-error'), caller, fields);
    }
  };

  const reading = (c: Context<ApiEnv>) => READING.includes(c.req.method);

  app.all('/v1/openapi.json', (c) =>
    send(c.env, reading(c) ? answerFromJson(openapi) : answerFromProblem('method-not-allowed'), null),
  );
  for (const endpoint of createEndpoints(parts)) {
    const read = behindTheDoor(askOf(endpoint));
    const refuse = behindTheDoor(() => answerFromProblem('method-not-allowed'));
    app.all(endpoint.path, (c) => (reading(c) ? read(c) : refuse(c)));
  }
  app.all(
    '/v1/*',
    behindTheDoor(() => answerFromProblem('not-found')),
  );

  app.route('/link', createLinkPages(parts.links, onFault));

  app.notFound((c) => send(c.env, answerFromProblem('not-found'), null));
  app.onError((error, c) => {
    onFault?.(error);
    return send(c.env, answerFromProblem('internal-error'), null);
  });
  const listener = getRequestListener(app.fetch, {
    // The gateway may share this process, and its Request and Response stay the platform's.
    overrideGlobalObjects: false,
    errorHandler: () => undefined,
  });
  return async (incoming, outgoing) => {
    if (incoming.headersDistinct.host?.length === 1) await listener(incoming, outgoing);
    // A Host or a target that no URL can be made of is given back without an answer.
    if (!outgoing.headersSent) send({ incoming, outgoing }, answerFromProblem('malformed-request'), null);
  };
}

/** A key without the scope learns nothing of the id, not even whether one can be such. */
function askOf({ scope, read }: Endpoint): Ask {
  return (caller, target, path) => {
    if (scope !== null && !caller.scopes.has(scope)) return answerFromProblem('scope-missing');
    return read(caller.partnerId, target, path);
  };
}
