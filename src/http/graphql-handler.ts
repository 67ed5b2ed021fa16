import type { IncomingMessage } from 'node:http';
import type { Signal } from '../abort.ts';
import { overloaded } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import type { RequestObserver } from '../operation/types.ts';
import { mapPromise, whenSettled } from '../sync-promise.ts';
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
    try {
      handle(options, req, res);
    } catch (fault) {
      handleFault(options, res, fault);
    }
  };
}

function handle<O extends RequestObserver>(
  options: GraphqlHandlerOptions<O>,
  req: IncomingMessage,
  res: GatewayResponse,
) {
  if (!isHost(req.headers.host)) return sendError(res, invalidHost);
  const page = options.graphiql?.handle(req, res);
  if (page) {
    page.catch((fault: unknown) => handleFault(options, res, fault));
    return;
  }
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
  if (options.admission.isFull) return sendError(res, serviceOverloaded);
  new GraphqlRequest(options, req, res, observer).start();
}

function handleFault(
  { onFault }: Pick<GraphqlHandlerOptions<never>, 'onFault'>,
  res: GatewayResponse,
  fault: unknown,
): void {
  onFault(fault);
  if (res.headersSent) res.destroy();
  else sendError(res, internalError);
}

/** One request for an operation: takes the fast path, or the full pipeline with the same parameters and loaders. */
class GraphqlRequest<O extends RequestObserver> {
  readonly #loaders: Loaders | undefined;
  readonly #observer: O | undefined;
  readonly #options: GraphqlHandlerOptions<O>;
  readonly #req: IncomingMessage;
  readonly #res: GatewayResponse;
  #params: Promise<Params> | undefined;
  #release: (() => void) | undefined;

  constructor(
    options: GraphqlHandlerOptions<O>,
    req: IncomingMessage,
    res: GatewayResponse,
    observer: O | undefined,
  ) {
    const apiKey = apiKeyFrom(req);
    this.#options = options;
    this.#req = req;
    this.#res = res;
    this.#observer = observer;
    this.#loaders =
      apiKey === undefined ? undefined : options.createLoaders(apiKey, res.disconnected, res, observer);
  }

  start() {
    const { fastPath } = this.#options.pipeline;
    const { method, headers } = this.#req;
    const loaders = this.#loaders;
    const type = method === 'POST' && loaders ? fastPath?.typeOf(headers) : undefined;
    if (!fastPath || !loaders || type === undefined) return this.#takeFullPipeline();
    const onBody = (body: string | undefined) => {
      if (body === undefined) this.#takeFullPipeline();
      else this.#write(type, body);
    };
    whenSettled(
      this.#readParams(),
      (params) => this.#attempt(() => fastPath.execute(params, loaders, onBody)),
      () => this.#takeFullPipeline(),
    );
  }

  /** Reads them once. */
  #readParams(): Promise<Params> {
    this.#params ??= mapPromise(paramsFrom(this.#req, this.#options.maxBodyBytes), (params) =>
      this.#enter(params),
    );
    return this.#params;
  }

  /** After the request is received, and until the response is written: a slow client does not count as active. */
  #enter(params: Params): Params {
    if (this.#observer) this.#observer.params = params;
    this.#release = this.#options.admission.enter(this.#res.disconnected);
    if (!this.#release) throw overloaded();
    return params;
  }

  #write(type: string, body: string): void {
    this.#attempt(() => {
      this.#res.writeComplete(`${type}; charset=utf-8`, body);
      this.#release?.();
    });
  }

  #takeFullPipeline(): void {
    this.#answer().catch((fault: unknown) => handleFault(this.#options, this.#res, fault));
  }

  async #answer(): Promise<void> {
    const context = {
      loaders: this.#loaders,
      observer: this.#observer,
      readParams: () => this.#readParams(),
    };
    await this.#options.pipeline.answer(this.#req, this.#res, context);
    this.#release?.();
  }

  /** For callbacks: what they throw must not reach the connection that calls them. */
  #attempt(step: () => void): void {
    try {
      step();
    } catch (fault) {
      handleFault(this.#options, this.#res, fault);
    }
  }
}
