import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Signal } from '../abort.ts';
import { overloaded, shuttingDown } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import type { FastResponse } from '../operation/fast-path.ts';
import type { Subscriber } from '../operation/live/group.ts';
import type { Live } from '../operation/live/live.ts';
import type { LiveOperation } from '../operation/live/live-operation.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import type { StreamType } from '../operation/response/accept.ts';
import type { RequestObserver } from '../operation/types.ts';
import { mapPromise, whenSettled } from '../sync-promise.ts';
import type { Admission } from './admission.ts';
import { apiKeyFrom } from './api-key.ts';
import { answerPreflight, isListed, isPreflight } from './cors.ts';
import { type ErrorResponse, methodNotAllowed, sendError, serviceOverloaded } from './error-response.ts';
import type { Graphiql } from './graphiql/graphiql.ts';
import type { Heartbeats } from './live/heartbeats.ts';
import { LiveStream } from './live/live-stream.ts';
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
  /** Absent where there are no live queries. */
  live?: StreamSource | undefined;
  /** Largest request body, in bytes. */
  maxBodyBytes: number;
  admission: Admission;
  graphiql: Graphiql | undefined;
  /** Called with the origin of each preflight request that is rejected. */
  onRefusedOrigin?: (origin: string) => void;
  /** Called with the error behind a 500. */
  onFault(fault: unknown): void;
}

/** The live queries, with which a request becomes a stream. */
interface StreamSource extends Pick<Live, 'typeOf' | 'find'> {
  readonly heartbeats: Heartbeats;
  /** Opens a stream. Call what it returns when the stream is gone: it returns the number of its polls. */
  open(operation: LiveOperation, apiKey: string, req: IncomingMessage, subscriber: Subscriber): () => number;
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

/** One request for an operation: opens a stream, or takes the fast path or the full pipeline with the same parameters and loaders. */
class GraphqlRequest<O extends RequestObserver> {
  readonly #loaders: Loaders | undefined;
  readonly #observer: O | undefined;
  readonly #options: GraphqlHandlerOptions<O>;
  readonly #req: IncomingMessage;
  readonly #res: GatewayResponse;
  #params: Promise<Params> | undefined;
  #release: (() => void) | undefined;
  #refusal: GraphQLError | undefined;

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
    const {
      live,
      pipeline: { fastPath },
    } = this.#options;
    const { method, headers } = this.#req;
    const isShort = method === 'POST' && this.#loaders !== undefined;
    const response = isShort ? fastPath?.responseTo(headers) : undefined;
    const streamType = isShort ? live?.typeOf(headers) : undefined;
    if (!response && streamType === undefined) return this.#takeFullPipeline();
    whenSettled(
      this.#readParams(),
      (params) => this.#attempt(() => this.#execute(params, response, streamType)),
      () => this.#takeFullPipeline(),
    );
  }

  #execute(params: Params, response: FastResponse | undefined, streamType: StreamType | undefined) {
    const {
      live,
      pipeline: { fastPath },
    } = this.#options;
    const operation = streamType && live?.find(params);
    if (live && operation) return this.#openStream(live, operation, streamType);
    if (!fastPath || !this.#loaders || !response) return this.#takeFullPipeline();
    fastPath.execute(params, this.#loaders, response, (body) => {
      if (body === undefined) this.#takeFullPipeline();
      else this.#write(response.type, body);
    });
  }

  #openStream(live: StreamSource, operation: LiveOperation, type: StreamType) {
    const stream = new LiveStream(this.#res, type, {
      heartbeats: live.heartbeats,
      onFirst: ({ codes, hasData }) => {
        this.#observer?.onResult(codes, hasData);
        // A stream may stay open for days, and its parameters be large.
        this.#observer?.onStream(() => leave());
        this.#params = undefined;
        // An idle stream is no operation in progress.
        this.#release?.();
      },
      onRefused: (error) => {
        this.#refusal = error;
        this.#takeFullPipeline();
      },
    });
    if (this.#res.isDraining) return stream.onRefused(shuttingDown());
    const leave = live.open(operation, apiKeyFrom(this.#req) ?? '', this.#req, stream);
    const close = () => {
      stream.close();
      leave();
    };
    if (this.#res.disconnected.aborted) close();
    else this.#res.disconnected.addEventListener('abort', close);
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
      refusal: this.#refusal,
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
