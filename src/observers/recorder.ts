import type { IncomingMessage, ServerResponse } from 'node:http';
import { type GraphQLSchema, getOperationAST } from 'graphql';
import { coordinatesIn } from '../operation/coordinates.ts';
import { documentHashOf, operatorDocuments } from '../operation/document.ts';
import type { RequestObserver } from '../operation/types.ts';
import type { Signal } from '../rest/abort.ts';
import type { OperationCalls } from '../schema/loaders.ts';
import { readClient } from './client.ts';
import type { Observer, ReadFields, RequestTrace } from './observer.ts';
import { type Identified, type Operation, shownDigest, shownName } from './operation.ts';
import { redact } from './secrets.ts';

type RecordedResponse = ServerResponse & { readonly requestId: string; readonly disconnected: Signal };

/** Whether it observes requests, and not only what the gateway reports of itself. */
export function observesRequests({ trace, onFinished }: Observer): boolean {
  return trace !== undefined || onFinished !== undefined;
}

interface RecorderOptions {
  schema: GraphQLSchema;
  /** True if a request with these header fields is planned in place of executed. Absent: none is. */
  isPlan?: ((headers: IncomingMessage['headers']) => boolean) | undefined;
  observers: readonly Observer[];
  /** Called with what an observer throws: it fails no request. */
  onFault(fault: unknown): void;
}

/** Records each request until its response is written or its client has disconnected. */
export function createRecorder(options: RecorderOptions) {
  const tracer = options.observers.find(({ trace }) => trace !== undefined);
  return (req: IncomingMessage, res: RecordedResponse): RequestObserver => {
    const recorder = new RequestRecorder(req, res, options, tracer?.trace?.(req));
    res.disconnected.addEventListener('abort', () => {
      if (res.writableFinished) recorder.report();
      // The REST calls that are aborted with the request report it only now.
      else setImmediate(() => recorder.report());
    });
    return recorder;
  };
}

/** Records the outcome of one request. A class, because there is one for every request. */
class RequestRecorder implements RequestObserver {
  params: RequestObserver['params'];
  document: RequestObserver['document'];
  readonly #startedAtMs = performance.now();
  readonly #req: IncomingMessage;
  readonly #res: RecordedResponse;
  readonly #options: RecorderOptions;
  readonly #trace: RequestTrace | undefined;
  #stream: Identified | undefined;
  /** The digest of the whole API key. */
  #owner: string | null = null;
  #calls: OperationCalls | undefined;
  #codes: Set<string> | null = null;
  #hasData = false;

  constructor(req: IncomingMessage, res: RecordedResponse, options: RecorderOptions, trace?: RequestTrace) {
    this.#req = req;
    this.#res = res;
    this.#options = options;
    this.#trace = trace;
  }

  onCalls(owner: string, calls: OperationCalls): void {
    this.#owner = owner;
    this.#calls = calls;
    if (this.#trace?.callObserver) calls.observe(this.#trace.callObserver);
  }

  onResult(codes: readonly string[], hasData: boolean): void {
    this.#hasData ||= hasData;
    if (codes.length === 0) return;
    this.#codes ??= new Set();
    for (const code of codes) this.#codes.add(code);
  }

  onStream(): void {
    const identified = this.#identified;
    const readFields = this.#readFields;
    this.#stream = identified;
    this.params = undefined;
    this.document = undefined;
    if (!readFields) return;
    const reportStream = () => {
      for (const observer of this.#options.observers) observer.onStream?.(identified, readFields);
    };
    // After the first event of the stream is written.
    setImmediate(() => this.#attempt(reportStream));
  }

  /** Passes the record of the finished request on to the observers. */
  report(): void {
    this.#attempt(() => {
      const operation = this.#finish();
      const readFields = this.#readFields;
      for (const observer of this.#options.observers) observer.onFinished?.(operation, readFields);
      this.#trace?.end(operation);
    });
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (fault) {
      this.#options.onFault(fault);
    }
  }

  get #readFields(): ReadFields | undefined {
    const { document, params } = this;
    return document && (() => coordinatesIn(this.#options.schema, document, params?.operationName));
  }

  get #identified(): Identified {
    const { document, params } = this;
    const operation = document && getOperationAST(document, params?.operationName || null);
    if (!operation) return noOperation;
    const key = this.#req.headers['x-api-key'];
    return {
      type: operation.operation,
      name: operation.name ? redact(shownName(operation.name.value), [String(key ?? '')]) : null,
      documentHash: documentHashOf(document),
      isTrusted: operatorDocuments.has(document),
    };
  }

  #finish(): Operation {
    const { type, name, documentHash, isTrusted } = this.#stream ?? this.#identified;
    const { clientName, clientVersion } = readClient(this.#req.headers);
    const { statusCode, requestId } = this.#res;
    const codes = this.#codes ? [...this.#codes] : codesOfStatus(statusCode);
    return {
      requestId,
      type,
      name,
      documentHash,
      isTrusted,
      isPlan: this.#options.isPlan?.(this.#req.headers) === true,
      outcome: this.#outcome(codes),
      status: statusCode,
      durationMs: Math.round((performance.now() - this.#startedAtMs) * 1000) / 1000,
      codes,
      key: this.#owner === null ? null : shownDigest(this.#owner),
      traceId: this.#trace?.traceId,
      calls: this.#calls?.ended ?? [],
      isStream: this.#stream !== undefined,
      clientName,
      clientVersion,
    };
  }

  #outcome(codes: readonly string[]): Operation['outcome'] {
    // A stream ends when its client disconnects.
    if (!this.#res.writableFinished && !this.#stream) return 'abandoned';
    if (codes.length === 0) return 'ok';
    return this.#hasData ? 'partial' : 'rejected';
  }
}

const noOperation: Identified = { type: null, name: null, documentHash: null, isTrusted: false };

const noCodes: readonly string[] = [];

/** The code of an error response that the HTTP layer sends itself. */
function codesOfStatus(status: number): readonly string[] {
  if (status < 400) return noCodes;
  if (status === 503) return ['OVERLOADED'];
  return [status === 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST'];
}
