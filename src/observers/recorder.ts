import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Signal } from '../abort.ts';
import type { OperationCalls } from '../loaders.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import type { RequestObserver } from '../operation/types.ts';
import { redact } from '../secrets.ts';
import { readClient } from './client.ts';
import type { ExecutedDocument, Observer, RequestTrace } from './observer.ts';
import { type Identified, type Operation, shownDigest, shownName } from './operation.ts';

type Response = ServerResponse & { readonly requestId: string; readonly disconnected: Signal };

const noTraces: readonly RequestTrace[] = [];

/** Whether it observes requests, and not only what the gateway reports of itself. */
export function observesRequests({ trace, onFinished }: Observer): boolean {
  return trace !== undefined || onFinished !== undefined;
}

/** What the records are made with, and who gets them. */
interface RecorderOptions extends Pick<Pipeline, 'identify' | 'coordinates' | 'isPlan'> {
  observers: readonly Observer[];
  /** Called with what an observer throws: it fails no request. */
  onFault(fault: unknown): void;
}

type StreamReport = (operation: Identified, document: ExecutedDocument) => void;

/** Records each request until its response is written or its client has disconnected. */
export function createRecorder(options: RecorderOptions) {
  const { observers, onFault } = options;
  const tracing = observers.filter(({ trace }) => trace !== undefined);
  const startTraces = (req: IncomingMessage) => tracing.flatMap((observer) => observer.trace?.(req) ?? []);
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (fault) {
      onFault(fault);
    }
  };
  const report = (recorder: RequestRecorder) =>
    attempt(() => {
      const operation = recorder.finish();
      const document = recorder.document && recorder;
      for (const observer of observers) observer.onFinished?.(operation, document);
      for (const trace of recorder.traces) trace.end(operation);
    });
  const reportStream: StreamReport = (operation, document) => {
    for (const observer of observers) observer.onStream?.(operation, document);
  };
  // After the first event of the stream is written.
  const onStream: StreamReport = (...stream) => setImmediate(() => attempt(() => reportStream(...stream)));
  const parts = { ...options, onStream };
  return (req: IncomingMessage, res: Response): RequestRecorder => {
    const recorder = new RequestRecorder(req, res, parts, tracing.length > 0 ? startTraces(req) : noTraces);
    res.disconnected.addEventListener('abort', () => {
      if (res.writableFinished) report(recorder);
      // The REST calls that are aborted with the request report it only now.
      else setImmediate(report, recorder);
    });
    return recorder;
  };
}

interface RecorderParts extends Pick<RecorderOptions, 'identify' | 'coordinates' | 'isPlan'> {
  onStream: StreamReport;
}

/** Records the outcome of one request. A class, because there is one for every request. */
class RequestRecorder implements RequestObserver, ExecutedDocument {
  params: RequestObserver['params'];
  document: RequestObserver['document'];
  readonly traces: readonly RequestTrace[];
  readonly #startedAtMs = performance.now();
  readonly #req: IncomingMessage;
  readonly #res: Response;
  readonly #parts: RecorderParts;
  #stream: { identified: Identified; countPolls: () => number } | null = null;
  /** The digest of the whole API key. */
  #owner: string | null = null;
  #calls: OperationCalls | undefined;
  #codes: Set<string> | null = null;
  #hasData = false;

  constructor(req: IncomingMessage, res: Response, parts: RecorderParts, traces: readonly RequestTrace[]) {
    this.#req = req;
    this.#res = res;
    this.#parts = parts;
    this.traces = traces;
  }

  /** Called before any load of the operation. */
  onCalls(owner: string, calls: OperationCalls): void {
    this.#owner = owner;
    this.#calls = calls;
    for (const { loadObserver } of this.traces) if (loadObserver) calls.observe(loadObserver);
  }

  fields(): readonly string[] {
    return this.document ? this.#parts.coordinates.of(this.document, this.params?.operationName) : [];
  }

  onResult(codes: readonly string[], hasData: boolean): void {
    this.#hasData ||= hasData;
    if (codes.length === 0) return;
    this.#codes ??= new Set();
    for (const code of codes) this.#codes.add(code);
  }

  onStream(countPolls: () => number): void {
    const identified = this.#identified;
    this.#stream = { identified, countPolls };
    const { document, params } = this;
    const { coordinates, onStream } = this.#parts;
    if (document) onStream(identified, { fields: () => coordinates.of(document, params?.operationName) });
    this.params = undefined;
    this.document = undefined;
  }

  get #identified(): Identified {
    const identity = this.document && this.#parts.identify(this.document, this.params?.operationName);
    if (!identity) return noOperation;
    return { ...identity, name: identity.name === null ? null : this.#redactKey(shownName(identity.name)) };
  }

  /** The record of the finished request. */
  finish(): Operation {
    const { type, name, documentHash, isTrusted } = this.#stream?.identified ?? this.#identified;
    const { clientName, clientVersion } = readClient(this.#req.headers);
    const { statusCode, requestId } = this.#res;
    const codes = this.#codes ? [...this.#codes] : codesOfStatus(statusCode);
    return {
      requestId,
      type,
      name,
      documentHash,
      isTrusted,
      isPlan: this.#parts.isPlan?.(this.#req.headers) === true,
      outcome: this.#outcome(codes),
      status: statusCode,
      durationMs: Math.round((performance.now() - this.#startedAtMs) * 1000) / 1000,
      codes,
      key: this.#owner === null ? null : shownDigest(this.#owner),
      traceId: this.#traceId,
      calls: this.#calls?.ended ?? [],
      loadCount: this.#calls?.loadCount ?? 0,
      polls: this.#stream?.countPolls(),
      clientName,
      clientVersion,
    };
  }

  get #traceId(): string | undefined {
    for (const { traceId } of this.traces) if (traceId !== undefined) return traceId;
    return undefined;
  }

  #outcome(codes: readonly string[]): Operation['outcome'] {
    // A stream ends when its client disconnects.
    if (!this.#res.writableFinished && !this.#stream) return 'abandoned';
    if (codes.length === 0) return 'ok';
    return this.#hasData ? 'partial' : 'rejected';
  }

  #redactKey(name: string): string {
    const key = this.#req.headers['x-api-key'];
    return key === undefined ? name : redact(name, [String(key)]);
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
