import type { IncomingMessage } from 'node:http';
import type { Signal } from '../abort.ts';
import { overloaded } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import type { FastPath } from '../operation/fast-path.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import type { RequestContext, RequestObserver } from '../operation/types.ts';
import type { Admission } from './admission.ts';
import { apiKeyFrom } from './api-key.ts';
import { answerPreflight, isListed, isPreflight } from './cors.ts';
import { type ErrorResponse, methodNotAllowed, sendError, serviceOverloaded } from './error-response.ts';
import type { Graphiql } from './graphiql/graphiql.ts';
import { type Params, paramsFrom } from './params.ts';
import type { GatewayResponse } from './server/gateway-response.ts';
import type { Listener } from './server/server.ts';
import { isHost } from './target.ts';

export interface GraphqlHandlerOptions<O extends RequestObserver> {
  /** Creates the loaders of one operation. */
  createLoaders(
    apiKey: string,
    disconnected: Signal,
    request: GatewayResponse,
    observer: O | undefined,
  ): Loaders;
  /** Starts to observe a request. Absent where logs, metrics and traces are off. */
  observe?: ((req: IncomingMessage, res: GatewayResponse) => O) | undefined;
  pipeline: Pick<Pipeline, 'answer' | 'fastPath'>;
  /** Largest request body, in bytes. */
  maxBodyBytes: number;
  admission: Admission;
  graphiql: Graphiql | undefined;
  /** Called with the origin of each preflight request that is rejected. */
  onRefusedOrigin?: (origin: string) => void;
  /** Called with the error behind a 500. */
  onFault(fault: unknown): void;
}

const invalidHost: ErrorResponse = { status: 400, message: 'The Host header is not a valid host name.' };
const notFound: ErrorResponse = { status: 404, message: 'Not found. The GraphQL endpoint is /graphql.' };
const internalError: ErrorResponse = {
  status: 500,
  message: 'Unexpected error.',
  code: 'INTERNAL_SERVER_ERROR',
};

/** Handles requests to the GraphQL endpoint and GraphiQL; any other request gets an error. */
export function createGraphqlHandler<O extends RequestObserver>(options: GraphqlHandlerOptions<O>): Listener {
  return (req, res) => {
    handle(options, req, res).catch((fault: unknown) => {
      options.onFault(fault);
      if (res.headersSent) res.destroy();
      else sendError(res, internalError);
    });
  };
}

async function handle<O extends RequestObserver>(
  options: GraphqlHandlerOptions<O>,
  req: IncomingMessage,
  res: GatewayResponse,
): Promise<void> {
  const { pipeline, admission } = options;
  if (!isHost(req.headers.host)) return sendError(res, invalidHost);
  const page = options.graphiql?.handle(req, res);
  if (page) return page;
  if (req.url?.split('?', 1)[0] !== '/graphql') return sendError(res, notFound);
  if (isPreflight(req)) {
    if (isListed(res)) return answerPreflight(res);
    options.onRefusedOrigin?.(String(req.headers.origin));
  }
  if (req.method !== 'GET' && req.method !== 'POST') return sendError(res, methodNotAllowed);
  // From here on the observer reports the request, if there is one.
  res.onRejected = undefined;
  const observer = options.observe?.(req, res);
  // Before the body is read, so that a rejection costs next to nothing.
  if (admission.isFull) return sendError(res, serviceOverloaded);
  const apiKey = apiKeyFrom(req);
  const { disconnected } = res;
  const loaders =
    apiKey === undefined ? undefined : options.createLoaders(apiKey, disconnected, res, observer);
  let release: (() => void) | undefined;
  const enter = (params: Params) => {
    if (observer) observer.params = params;
    // After the request is received, and until the response is written: a slow client does not count as active.
    release = admission.enter(disconnected);
    if (!release) throw overloaded();
    return params;
  };
  // Both executors read the same parameters.
  let reading: Promise<Params> | undefined;
  const readParams = () => (reading ??= paramsFrom(req, options.maxBodyBytes).then(enter));
  const context = { loaders, readParams, observer };
  const isDone = pipeline.fastPath && (await tryFastPath(pipeline.fastPath, req, res, context));
  if (!isDone) await pipeline.answer(req, res, context);
  release?.();
}

/** Responds on the fast path; false, without a response, where the request needs the full pipeline. */
async function tryFastPath(
  fastPath: FastPath,
  { method, headers }: IncomingMessage,
  res: GatewayResponse,
  { loaders, readParams }: RequestContext,
): Promise<boolean> {
  const type = method === 'POST' ? fastPath.typeOf(headers) : undefined;
  if (type === undefined || !loaders) return false;
  let body: string | undefined;
  try {
    body = await fastPath.execute(await readParams(), loaders);
  } catch {
    // The full pipeline responds with the error.
  }
  if (body === undefined) return false;
  res.writeComplete(`${type}; charset=utf-8`, body);
  return true;
}
