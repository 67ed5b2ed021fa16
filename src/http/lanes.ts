import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { OperationCalls } from '../loaders.ts';
import type { RequestContext, RequestObserver } from '../operation/types.ts';
import { mapPromise, whenSettled } from '../sync-promise.ts';
import type { Admission } from './admission.ts';
import { paramsFrom } from './request.ts';
import type { GatewayResponse } from './response.ts';

/**
 * A way of responding to requests to the GraphQL endpoint. The lanes are asked in their order; the full pipeline,
 * which takes every request, is the last.
 */
export interface Lane {
  /** What takes a POST with a key and these header fields; undefined where this lane takes none of them. */
  accept(headers: IncomingHttpHeaders): Take | undefined;
}

/** Responds to a request, or passes it on: it calls `send`, `next` or what it has of `res`, at once or later. */
export type Take = (params: GraphQLParams, request: GraphqlRequest, calls: OperationCalls) => void;

export interface LaneOptions {
  createCalls(apiKey: string, res: GatewayResponse, observer: RequestObserver | undefined): OperationCalls;
  lanes: readonly Lane[];
  /** Responds to any request to the GraphQL endpoint. */
  fullPipeline(req: IncomingMessage, res: GatewayResponse, context: RequestContext): Promise<void> | void;
  /** Largest request body, in bytes. */
  maxBodyBytes: number;
  admission: Admission;
  onFault(fault: unknown, res: GatewayResponse): void;
}

/** One request to the GraphQL endpoint on its way through the lanes, with the same parameters and calls in each. */
export class GraphqlRequest {
  readonly res: GatewayResponse;
  /** Empty where the request has no usable key: then no lane gets it. */
  readonly apiKey: string;
  /** Undefined where nothing observes requests. */
  readonly observer: RequestObserver | undefined;
  /** Its document, once a lane has found it. */
  document: DocumentNode | undefined;
  readonly #options: LaneOptions;
  readonly #req: IncomingMessage;
  readonly #calls: OperationCalls | undefined;
  #lane = 0;
  #params: Promise<GraphQLParams> | undefined;
  #leave: (() => void) | undefined;

  constructor(
    options: LaneOptions,
    req: IncomingMessage,
    res: GatewayResponse,
    apiKey: string,
    observer: RequestObserver | undefined,
  ) {
    this.#options = options;
    this.#req = req;
    this.res = res;
    this.observer = observer;
    this.apiKey = apiKey;
    this.#calls = apiKey === '' ? undefined : options.createCalls(apiKey, res, observer);
  }

  /** Sends a complete response with status 200. */
  send(type: string, body: string): void {
    try {
      this.res.writeComplete(`${type}; charset=utf-8`, body);
      this.#end();
    } catch (fault) {
      // What a callback throws must not reach the connection that calls it.
      this.#options.onFault(fault, this.res);
    }
  }

  /**
   * Passes the request to the first lane or the next one; with a rejection to the full pipeline, which reports it.
   * Only a POST with a key is for another lane than the full pipeline. No REST call is made twice.
   */
  next(rejection?: GraphQLError): void {
    const calls = this.#req.method === 'POST' && !rejection ? this.#calls : undefined;
    const take = calls && this.#nextLane();
    if (!calls || !take) {
      this.#takeFullPipeline(rejection);
      return;
    }
    whenSettled(
      this.#readParams(),
      (params) => {
        try {
          take(params, this, calls);
        } catch (fault) {
          this.#options.onFault(fault, this.res);
        }
      },
      // It reports why they cannot be read.
      () => this.#takeFullPipeline(),
    );
  }

  /** To be called where the response is a stream: an idle stream is no active operation, and keeps no parameters. */
  release(): void {
    this.#params = undefined;
    this.document = undefined;
    this.#end();
  }

  #nextLane(): Take | undefined {
    const { lanes } = this.#options;
    while (this.#lane < lanes.length) {
      const take = lanes[this.#lane]?.accept(this.#req.headers);
      this.#lane += 1;
      if (take) return take;
    }
    return undefined;
  }

  #takeFullPipeline(rejection?: GraphQLError): void {
    this.#respond(rejection).catch((fault: unknown) => this.#options.onFault(fault, this.res));
  }

  async #respond(rejection: GraphQLError | undefined): Promise<void> {
    const { document, observer } = this;
    const readParams = () => this.#readParams();
    const context = { calls: this.#calls, observer, document, readParams, streamRejection: rejection };
    await this.#options.fullPipeline(this.#req, this.res, context);
    this.#end();
  }

  #end(): void {
    this.#leave?.();
    this.#calls?.budget.end();
  }

  #readParams(): Promise<GraphQLParams> {
    this.#params ??= mapPromise(paramsFrom(this.#req, this.#options.maxBodyBytes), (params) => {
      if (this.observer) this.observer.params = params;
      // Once the request is received, until the response is written: a slow client does not count as active.
      this.#leave = this.#options.admission.enter(this.apiKey, this.res.disconnected);
      return params;
    });
    return this.#params;
  }
}
