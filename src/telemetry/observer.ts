import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Signal } from '../abort.ts';
import type { OperationCalls } from '../loaders.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import type { RequestObserver } from '../operation/types.ts';
import { redact } from '../secrets.ts';
import { readClient } from './client.ts';
import { createDocumentLog, type Identified, isExecuted } from './document-log.ts';
import type { Logger } from './log.ts';
import { logOperation } from './log-lines.ts';
import type { GatewayMetrics } from './metrics.ts';
import { type Operation, shownDigest, shownName } from './operation.ts';
import type { Tracing } from './traces.ts';

type Trace = ReturnType<Tracing['start']>;
type LogDocument = (
  document: RequestObserver['document'],
  operationName: string | null | undefined,
  identified: Identified,
) => void;
type Response = ServerResponse & { readonly requestId: string; readonly disconnected: Signal };

/** Logs, counts and traces each request when its response is written or its client has disconnected. */
export function createObserver(options: {
  logger: Logger;
  metrics: GatewayMetrics | undefined;
  tracing: Tracing | undefined;
  identify: Pipeline['identify'];
  coordinates: Pipeline['coordinates'];
  onFault(fault: unknown): void;
}) {
  const { logger, metrics, tracing, identify, coordinates, onFault } = options;
  const logs = logger.isLevelEnabled('info');
  const writeDocument = createDocumentLog(logger);
  /** A fault in telemetry fails no request. */
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (fault) {
      onFault(fault);
    }
  };
  const logDocument: LogDocument = (document, operationName, identified) => {
    if (document) writeDocument(identified, () => coordinates.of(document, operationName));
  };
  // After the first event of the stream is written.
  const onStream: LogDocument = (...of) => setImmediate(() => attempt(() => logDocument(...of)));
  const report = (observer: OperationObserver) =>
    attempt(() => {
      const operation = observer.finish();
      if (logs) logOperation(logger, operation);
      metrics?.count(operation);
      observer.trace?.end(operation);
      if (logs && isExecuted(operation))
        logDocument(observer.document, observer.params?.operationName, operation);
    });
  return (req: IncomingMessage, res: Response): OperationObserver => {
    const observer = new OperationObserver(req, res, identify, tracing?.start(req));
    if (logs) observer.logStream = onStream;
    res.disconnected.addEventListener('abort', () => {
      if (res.writableFinished) report(observer);
      // The REST calls that are aborted with the request report it only now.
      else setImmediate(report, observer);
    });
    return observer;
  };
}

/** Records the outcome of one request. A class, because there is one for every request. */
class OperationObserver implements RequestObserver {
  params: RequestObserver['params'];
  document: RequestObserver['document'];
  /** The digest of the whole API key. */
  owner: string | null = null;
  calls: OperationCalls | undefined;
  /** Logs the document of a stream, which the record of the stream does not have. Absent without logs. */
  logStream: LogDocument | undefined;
  readonly trace: Trace | undefined;
  readonly #startedAtMs = performance.now();
  readonly #req: IncomingMessage;
  readonly #res: Response;
  readonly #identify: Pipeline['identify'];
  #stream: { identified: Identified; countPolls: () => number } | null = null;
  #codes: Set<string> | null = null;
  #hasData = false;

  constructor(req: IncomingMessage, res: Response, identify: Pipeline['identify'], trace: Trace | undefined) {
    this.#req = req;
    this.#res = res;
    this.#identify = identify;
    this.trace = trace;
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
    this.logStream?.(this.document, this.params?.operationName, identified);
    this.params = undefined;
    this.document = undefined;
  }

  get #identified(): Identified {
    const identity = this.document && this.#identify(this.document, this.params?.operationName);
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
      isPlan: this.#req.headers['x-explain'] === 'plan',
      outcome: this.#outcome(codes),
      status: statusCode,
      durationMs: Math.round((performance.now() - this.#startedAtMs) * 1000) / 1000,
      codes,
      key: this.owner === null ? null : shownDigest(this.owner),
      traceId: this.trace?.traceId,
      calls: this.calls?.ended ?? [],
      loadCount: this.calls?.loadCount ?? 0,
      polls: this.#stream?.countPolls(),
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
