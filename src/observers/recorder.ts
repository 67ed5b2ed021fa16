import type { IncomingMessage, ServerResponse } from 'node:http';
import { type GraphQLSchema, getOperationAST } from 'graphql';
import { coordinatesIn } from '../operation/coordinates.ts';
import { documentHashOf, operatorDocuments } from '../operation/document.ts';
import type { RequestObserver } from '../operation/types.ts';
import type { Signal } from '../rest/abort.ts';
import type { OperationCalls } from '../schema/loaders.ts';
import { readClient } from './client.ts';
import type { Observer, RequestTrace } from './observer.ts';
import { type Operation, shownDigest, shownName } from './operation.ts';
import { redact } from './secrets.ts';

type RecordedResponse = ServerResponse & { readonly requestId: string; readonly disconnected: Signal };

interface RecorderOptions {
  schema: GraphQLSchema;
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
  #isStream = false;
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
    this.#isStream = true;
    const { operationName } = this.params ?? {};
    this.params = operationName === undefined ? {} : { operationName };
  }

  report(): void {
    const { document, params } = this;
    const { schema, observers, onFault } = this.#options;
    const readFields = document && (() => coordinatesIn(schema, document, params?.operationName));
    try {
      const operation = this.#finish();
      for (const observer of observers) observer.onFinished?.(operation, readFields);
      this.#trace?.end(operation);
    } catch (fault) {
      onFault(fault);
    }
  }

  #finish(): Operation {
    const { document, params } = this;
    const { headers } = this.#req;
    const { clientName, clientVersion } = readClient(headers);
    const { statusCode, requestId } = this.#res;
    const codes = this.#codes ? [...this.#codes] : codesOfStatus(statusCode);
    const operation = document && getOperationAST(document, params?.operationName || null);
    const name = operation?.name && shownName(operation.name.value);
    return {
      requestId,
      type: operation ? operation.operation : null,
      name: name ? redact(name, [String(headers['x-api-key'] ?? '')]) : null,
      documentHash: operation ? documentHashOf(document) : null,
      isTrusted: operation ? operatorDocuments.has(document) : false,
      isPlan: this.#options.isPlan?.(headers) === true,
      outcome: this.#outcome(codes),
      status: statusCode,
      durationMs: Math.round((performance.now() - this.#startedAtMs) * 1000) / 1000,
      codes,
      key: this.#owner === null ? null : shownDigest(this.#owner),
      traceId: this.#trace?.traceId,
      calls: this.#calls?.ended ?? [],
      isStream: this.#isStream,
      clientName,
      clientVersion,
    };
  }

  #outcome(codes: readonly string[]): Operation['outcome'] {
    // A stream ends when its client disconnects.
    if (!this.#res.writableFinished && !this.#isStream) return 'abandoned';
    if (codes.length === 0) return 'ok';
    return this.#hasData ? 'partial' : 'rejected';
  }
}

/** The code of an error response that the HTTP layer sends itself. */
function codesOfStatus(status: number): readonly string[] {
  if (status < 400) return [];
  if (status === 503) return ['OVERLOADED'];
  return [status === 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST'];
}
