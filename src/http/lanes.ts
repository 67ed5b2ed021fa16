import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { OperationCalls } from '../loaders.ts';
import type { RequestContext, RequestObserver } from '../operation/types.ts';
import { mapPromise, whenSettled } from '../sync-promise.ts';
import type { Admission } from './admission.ts';
import { apiKeyFrom, paramsFrom } from './request.ts';
import type { GatewayResponse } from './response.ts';

/**
 * A way of responding to requests to the GraphQL endpoint. The lanes are asked in their order; the full pipeline,
 * which takes every request, is the last.
 */
export interface Lane {
  /** What takes a POST with a key and these header fields; undefined where this lane takes none of them. */
  accept(headers: IncomingHttpHeaders): Taker | undefined;
}

/** Responds to a request, or passes it on: it calls `send`, `next` or what it has of `res`, at once or later. */
export interface Taker {
  take(params: GraphQLParams, request: LaneRequest): void;
}

/** A request to the GraphQL endpoint, as a lane gets it. */
export interface LaneRequest {
  readonly res: GatewayResponse;
  readonly apiKey: string;
  readonly calls: OperationCalls;
  /** Undefined where nothing observes requests. */
  readonly observer: RequestObserver | undefined;
  /** Its document, once a lane has found it. */
  document: DocumentNode | undefined;
  /** Sends a complete response with status 200. */
  send(type: string, body: string): void;
  /**
   * Passes the request on to the next lane; with a rejection to the full pipeline, which reports it. No REST call
   * is made twice.
   */
  next(rejection?: GraphQLError): void;
  /** To be called where the response is a stream: an idle stream is no active operation, and keeps no parameters. */
  release(): void;
}

export interface LaneOptions<Observer extends RequestObserver> {
  /** Creates what makes the REST calls of one operation. */
  createCalls(apiKey: string, res: GatewayResponse, observer: Observer | undefined): OperationCalls;
  lanes: readonly Lane[];
  /** Responds to any request to the GraphQL endpoint. */
  fullPipeline(req: IncomingMessage, res: GatewayResponse, context: RequestContext): Promise<void> | void;
  /** Largest request body, in bytes. */
  maxBodyBytes: number;
  admission: Admission;
  onFault(fault: unknown, res: GatewayResponse): void;
}

/** One request on its way through the lanes, with the same parameters and calls in each. */
export class GraphqlRequest<Observer extends RequestObserver> implements LaneRequest {
  readonly res: GatewayResponse;
  readonly observer: Observer | undefined;
  document: DocumentNode | undefined;
  readonly #options: LaneOptions<Observer>;
  readonly #req: IncomingMessage;
  readonly #apiKey: string | undefined;
  readonly #calls: OperationCalls | undefined;
  #lane = 0;
  #params: Promise<GraphQLParams> | undefined;
  #leave: (() => void) | undefined;

  constructor(
    options: LaneOptions<Observer>,
    req: IncomingMessage,
    res: GatewayResponse,
    observer: Observer | undefined,
  ) {
    this.#options = options;
    this.#req = req;
    this.res = res;
    this.observer = observer;
    this.#apiKey = apiKeyFrom(req);
    this.#calls = this.#apiKey === undefined ? undefined : options.createCalls(this.#apiKey, res, observer);
  }

  /** Takes the first lane. Only a POST with a key is for another lane than the full pipeline. */
  start(): void {
    if (this.#req.method === 'POST' && this.#calls) this.#takeLane();
    else this.#takeFullPipeline();
  }

  get apiKey(): string {
    return given(this.#apiKey);
  }

  get calls(): OperationCalls {
    return given(this.#calls);
  }

  send(type: string, body: string): void {
    try {
      this.res.writeComplete(`${type}; charset=utf-8`, body);
      this.#leave?.();
    } catch (fault) {
      // What a callback throws must not reach the connection that calls it.
      this.#options.onFault(fault, this.res);
    }
  }

  next(rejection?: GraphQLError): void {
    if (rejection) this.#takeFullPipeline(rejection);
    else this.#takeLane();
  }

  release(): void {
    this.#params = undefined;
    this.document = undefined;
    this.#leave?.();
  }

  #takeLane(): void {
    const taker = this.#nextTaker();
    if (taker) this.#enter(taker);
    else this.#takeFullPipeline();
  }

  #nextTaker(): Taker | undefined {
    const { lanes } = this.#options;
    while (this.#lane < lanes.length) {
      const taker = lanes[this.#lane]?.accept(this.#req.headers);
      this.#lane += 1;
      if (taker) return taker;
    }
    return undefined;
  }

  #enter(taker: Taker): void {
    whenSettled(
      this.#readParams(),
      (params) => {
        try {
          taker.take(params, this);
        } catch (fault) {
          this.#options.onFault(fault, this.res);
        }
      },
      // It reports why they cannot be read.
      () => this.#takeFullPipeline(),
    );
  }

  #takeFullPipeline(rejection?: GraphQLError): void {
    this.#respond(rejection).catch((fault: unknown) => this.#options.onFault(fault, this.res));
  }

  async #respond(rejection: GraphQLError | undefined): Promise<void> {
    const readParams = () => this.#readParams();
    const { document, observer } = this;
    const context = { calls: this.#calls, observer, document, readParams, rejection };
    await this.#options.fullPipeline(this.#req, this.res, context);
    this.#leave?.();
  }

  /** Reads them once. */
  #readParams(): Promise<GraphQLParams> {
    this.#params ??= mapPromise(paramsFrom(this.#req, this.#options.maxBodyBytes), (params) => {
      if (this.observer) this.observer.params = params;
      // Once the request is received, until the response is written: a slow client does not count as active.
      this.#leave = this.#options.admission.enter(this.res.disconnected);
      return params;
    });
    return this.#params;
  }
}

/** A request without a key takes the full pipeline, which asks for neither. */
function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The request has no key.');
  return value;
}
