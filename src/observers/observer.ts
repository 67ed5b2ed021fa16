import type { IncomingMessage } from 'node:http';
import type { OnFailure } from '../rest/call.ts';
import type { Deprecation } from '../rest/notices.ts';
import type { CallObserver } from '../schema/loaders.ts';
import type { Gauge } from './gauges.ts';
import { type Logger, noLogger } from './logger.ts';
import type { Operation } from './operation.ts';

/** Reports a request that is rejected before the GraphQL endpoint, or a connection that gets no response. */
export type OnRejected = (rejection: {
  /** HTTP status and `x-request-id` of the response; null without a response. */
  status: number | null;
  requestId: string | null;
  /** Holds nothing of the request. */
  message: string;
}) => void;

/** A REST call that failed, beside the call itself. */
interface Failure {
  requestId: string | undefined;
  /** The digest of the whole API key. */
  owner: string;
  code: string;
  error: unknown;
}

/** An observer of one request, from its start. */
export interface RequestTrace {
  /** Undefined if the trace is not sampled. */
  readonly traceId?: string | undefined;
  /** Observes the REST calls of the operation. */
  readonly callObserver?: CallObserver | undefined;
  end(operation: Operation): void;
}

/** Observes the requests of a gateway, and what it reports of itself. What it throws fails no request. */
export interface Observer {
  /** Called at the start of a request, of one observer at most. Absent: the record at its end is enough. */
  trace?(req: IncomingMessage): RequestTrace;
  /** Called at the end of a request; `readFields` returns the schema coordinates that its document selects, if any. */
  onFinished?(operation: Operation, readFields: (() => readonly string[]) | undefined): void;
  onRejected?: OnRejected;
  onFailure?(call: Parameters<OnFailure>[0], failure: Failure): void;
  /** Called for an error of the gateway itself. `secrets`: the keys of the active requests. */
  onFault?(fault: unknown, secrets: Iterable<string>): void;
  /** Called for the first response that differs from the contract of the REST API at this field. */
  onDrift?(field: string): void;
  /** Called for each response that says that the REST API is deprecated. */
  onDeprecation?(deprecation: Deprecation): void;
  readonly gauges?: readonly Gauge[];
  readonly logger?: Logger;
  /** Called before the gateway opens its port. Rejects if the gateway cannot be observed. */
  open?(gateway: ObservedGateway): Promise<void>;
  close?(): Promise<void>;
}

interface ObservedGateway {
  readonly gauges: readonly Gauge[];
  /** Of all errors that a response may have. */
  readonly errorCodes: readonly string[];
  /** `ok` from the start until it begins to drain. */
  readiness(): string;
}

/** Starts an observer; undefined if it is off. */
export type StartObserver<Config> = (config: Config, logger: Logger) => Promise<Observer | undefined>;

export function loggerOf(observers: readonly Observer[]): Logger {
  return observers.find(({ logger }) => logger !== undefined)?.logger ?? noLogger;
}

type Reports = 'onRejected' | 'onFailure' | 'onFault' | 'onDrift' | 'onDeprecation';

/** Passes each report on to those observers that take it, in their order. */
export function reportTo(observers: readonly Observer[]): Required<Pick<Observer, Reports>> {
  const each = (report: (observer: Observer) => void) => observers.forEach(report);
  return {
    onRejected: (rejection) => each((observer) => observer.onRejected?.(rejection)),
    onFailure: (call, failure) => each((observer) => observer.onFailure?.(call, failure)),
    onFault: (fault, secrets) => each((observer) => observer.onFault?.(fault, secrets)),
    onDrift: (field) => each((observer) => observer.onDrift?.(field)),
    onDeprecation: (deprecation) => each((observer) => observer.onDeprecation?.(deprecation)),
  };
}
