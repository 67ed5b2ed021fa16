import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Signal } from '../abort.ts';
import { overloaded, shuttingDown } from '../errors.ts';
import type { Gauge } from '../gauges.ts';
import type { OperationCalls } from '../loaders.ts';
import type { createRecorder } from '../observers/recorder.ts';
import type { Subscriber } from '../operation/live/group.ts';
import type { Live } from '../operation/live/live.ts';
import type { LiveOperation } from '../operation/live/operation.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import type { StreamType } from '../operation/request.ts';
import { mapPromise, whenSettled } from '../sync-promise.ts';
import { allowPreflight } from './cors.ts';
import type { createGraphiql } from './graphiql.ts';
import { LiveStream } from './live-stream.ts';
import { apiKeyFrom, isHost, paramsFrom } from './request.ts';
import {
  type ErrorResponse,
  type GatewayResponse,
  internalError,
  methodNotAllowed,
  sendError,
  serviceOverloaded,
} from './response.ts';
import type { Listener } from './server.ts';

type Observe = ReturnType<typeof createRecorder>;
type OperationObserver = ReturnType<Observe>;
type Params = Awaited<ReturnType<typeof paramsFrom>>;

interface HandlerOptions {
  /** Creates what makes the REST calls of one operation. */
  createCalls(apiKey: string, res: GatewayResponse, observer: OperationObserver | undefined): OperationCalls;
  /** Starts to observe a request. Absent where nobody observes requests. */
  observe?: Observe | undefined;
  pipeline: Pick<Pipeline, 'answer' | 'fastPath'>;
  /** Absent where there are no live queries. */
  live?: StreamSource | undefined;
  /** Largest request body, in bytes. */
  maxBodyBytes: number;
  admission: ReturnType<typeof createAdmission>;
  /** Whether `/readyz` is 200. Absent: always. */
  isReady?(): boolean;
  graphiql?: ReturnType<typeof createGraphiql> | undefined;
  /** Called with the origin of each preflight request that is rejected. */
  onRejectedOrigin?: (origin: string) => void;
  /** Called with the error behind a 500. */
  onFault(fault: unknown): void;
}

/** The live queries, with which a request becomes a stream. */
interface StreamSource extends Pick<Live, 'typeOf' | 'find'> {
  /** Opens a stream. Call what it returns when the stream is gone: it returns the number of its polls. */
  open(operation: LiveOperation, apiKey: string, subscriber: Subscriber): () => number;
}

const invalidHost: ErrorResponse = { status: 400, message: 'The Host header is not a valid host name.' };
const notFound: ErrorResponse = { status: 404, message: 'Not found. The GraphQL endpoint is /graphql.' };

/**
 * Handles the well-formed requests of a server: probes, GraphiQL, preflights and operations; any other
 * request gets an error.
 */
export function createHandler(options: HandlerOptions): Listener {
  return (req, res) => {
    try {
      handle(options, req, res);
    } catch (fault) {
      handleFault(options, res, fault);
    }
  };
}

function handle(options: HandlerOptions, req: IncomingMessage, res: GatewayResponse) {
  if (req.url === '/livez') return sendProbe(req, res, true);
  if (req.url === '/readyz') return sendProbe(req, res, options.isReady?.() ?? true);
  if (!isHost(req.headers.host)) return sendError(res, invalidHost);
  const page = options.graphiql?.(req, res);
  if (page) {
    page.catch((fault: unknown) => handleFault(options, res, fault));
    return;
  }
  if (req.url?.split('?', 1)[0] !== '/graphql') return sendError(res, notFound);
  if (req.method !== 'GET' && req.method !== 'POST') {
    if (allowPreflight(req, res, options.onRejectedOrigin)) return;
    return sendError(res, methodNotAllowed);
  }
  // From here on the observer reports the request, if there is one.
  res.onRejected = undefined;
  const observer = options.observe?.(req, res);
  // Before the body is read, so that a rejection costs next to nothing.
  if (options.admission.isFull()) return sendError(res, serviceOverloaded);
  execute(options, req, res, observer);
}

/**
 * `/livez` is 200 while the process runs, `/readyz` while it accepts requests. A probe needs no key and no
 * Host field, bypasses admission, and makes no REST call.
 */
function sendProbe({ method }: IncomingMessage, res: GatewayResponse, isOk: boolean) {
  if (method !== 'GET' && method !== 'HEAD') return sendError(res, probeMethodNotAllowed);
  const text = isOk ? 'ok\n' : 'draining\n';
  const fields = { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length };
  res.writeHead(isOk ? 200 : 503, fields).end(text);
}

const probeMethodNotAllowed: ErrorResponse = {
  status: 405,
  message: 'Use GET or HEAD.',
  fields: { allow: 'GET, HEAD' },
};

function handleFault({ onFault }: HandlerOptions, res: GatewayResponse, fault: unknown): void {
  onFault(fault);
  if (res.headersSent) res.destroy();
  else sendError(res, internalError);
}

/** Opens a stream, or takes the fast path or the full pipeline, with the same parameters and calls. */
function execute(
  options: HandlerOptions,
  req: IncomingMessage,
  res: GatewayResponse,
  observer: OperationObserver | undefined,
): void {
  const { admission, live, maxBodyBytes, pipeline } = options;
  const { fastPath } = pipeline;
  const apiKey = apiKeyFrom(req);
  const calls = apiKey === undefined ? undefined : options.createCalls(apiKey, res, observer);
  let reading: Promise<Params> | undefined;
  let release: (() => void) | undefined;

  const isShort = req.method === 'POST' && calls !== undefined;
  const response = isShort ? fastPath?.responseTo(req.headers) : undefined;
  const streamType = isShort ? live?.typeOf(req.headers) : undefined;
  if (response || streamType !== undefined)
    whenSettled(readParams(), attempt(start), () => takeFullPipeline());
  else takeFullPipeline();

  function start(params: Params): void {
    const operation = streamType && live?.find(params, observer);
    if (live && operation) openStream(live, operation, streamType);
    else if (fastPath && calls && response)
      fastPath.execute(params, calls, response, observer, attempt(respond));
    else takeFullPipeline();
  }

  /** @param body undefined where the operation needs the full pipeline */
  function respond(body: string | undefined) {
    if (!response || body === undefined) return takeFullPipeline();
    res.writeComplete(`${response.type}; charset=utf-8`, body);
    release?.();
  }

  function openStream(source: StreamSource, operation: LiveOperation, type: StreamType) {
    const stream = new LiveStream(res, type, {
      onFirst: ({ codes, hasData }) => {
        observer?.onResult(codes, hasData);
        // A stream may stay open for days, and its parameters be large.
        observer?.onStream(() => leave());
        reading = undefined;
        // An idle stream is no operation in progress.
        release?.();
      },
      onRejected: takeFullPipeline,
    });
    if (res.isDraining) return stream.onRejected(shuttingDown());
    const leave = source.open(operation, apiKey ?? '', stream);
    const close = () => {
      stream.close();
      leave();
    };
    if (res.disconnected.aborted) close();
    else res.disconnected.addEventListener('abort', close);
  }

  /** Reads them once. */
  function readParams(): Promise<Params> {
    reading ??= mapPromise(paramsFrom(req, maxBodyBytes), enter);
    return reading;
  }

  /** After the request is received, until the response is written: a slow client does not count as active. */
  function enter(params: Params): Params {
    if (observer) observer.params = params;
    release = admission.enter(res.disconnected);
    if (!release) throw overloaded();
    return params;
  }

  /** @param rejection why the stream of this request was not opened */
  function takeFullPipeline(rejection?: GraphQLError): void {
    answer(rejection).catch((fault: unknown) => handleFault(options, res, fault));
  }

  async function answer(rejection: GraphQLError | undefined): Promise<void> {
    await pipeline.answer(req, res, { calls, observer, readParams, rejection });
    release?.();
  }

  /** For callbacks: what they throw must not reach the connection that calls them. */
  function attempt<T>(step: (value: T) => void): (value: T) => void {
    return (value) => {
      try {
        step(value);
      } catch (fault) {
        handleFault(options, res, fault);
      }
    };
  }
}

/**
 * Limits the number of active operations. `unread`: the response bytes that clients have not read, for which
 * no operation is admitted while they are too many.
 */
export function createAdmission(limit: number, unread?: { isOver(): boolean }) {
  let active = 0;
  const isFull = () => active >= limit || unread?.isOver() === true;
  return {
    isFull,
    gauge: {
      name: 'portico_operations_active',
      help: 'Operations being executed',
      read: () => active,
    } satisfies Gauge,
    /**
     * Counts an operation as active until the returned function is called or `disconnected` aborts. Undefined
     * where the limit is reached.
     */
    enter(disconnected: Signal): (() => void) | undefined {
      if (isFull()) return undefined;
      let isActive = !disconnected.aborted;
      if (isActive) active += 1;
      const release = () => {
        if (isActive) active -= 1;
        isActive = false;
        disconnected.removeEventListener('abort', release);
      };
      disconnected.addEventListener('abort', release);
      return release;
    },
  };
}
