import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { CoreConfig } from '../config/core.ts';
import type { RequestContext, RequestObserver } from '../operation/types.ts';
import { type ApiKey, createCaller } from '../rest/caller.ts';
import type { UpstreamClient } from '../rest/client.ts';
import { mapPromise, whenSettled } from '../rest/sync-promise.ts';
import { OperationCalls } from '../schema/loaders.ts';
import type { OperationPlaces } from './operation-places.ts';
import { paramsFrom } from './request.ts';
import type { GatewayResponse } from './response.ts';

/** Responds to a request that has a key and was sent by POST, or calls `next`, at once or later. */
export type Lane = (request: LaneRequest, params: GraphQLParams, next: Next) => void;

/** Passes a request to the next lane; with the error of a live query to the full pipeline, which reports it. */
export type Next = (streamRejection?: GraphQLError) => void;

/** A request to the GraphQL endpoint. All lanes share its `calls`, so that no REST call is made twice. */
export interface LaneRequest {
  readonly req: IncomingMessage;
  readonly res: GatewayResponse;
  readonly key: ApiKey;
  readonly calls: OperationCalls;
  readonly observer: RequestObserver | undefined;
  /** Set once a lane has found it. */
  document: DocumentNode | undefined;
  send(type: string, body: string): void;
  /**
   * Releases the place of the operation and its parameters, which are not read after that. A stream calls it as it
   * begins. Once the response is complete, the loaded resources are forgotten too: until then parts that follow read them.
   */
  finish(): void;
}

export interface LaneOptions
  extends Pick<CoreConfig, 'operationTimeoutMs' | 'maxUpstreamCalls' | 'maxBodyBytes'> {
  client: UpstreamClient;
  /** How many REST calls a request with these header fields allows, if that is fewer than `maxUpstreamCalls`. */
  maxCallsOf?: ((headers: IncomingHttpHeaders) => number | undefined) | undefined;
  lanes: readonly Lane[];
  /** A request with one of these header fields takes the full pipeline. */
  fullPipelineFields: readonly string[];
  fullPipeline(req: IncomingMessage, res: GatewayResponse, context: RequestContext): Promise<void> | void;
  places: OperationPlaces;
  onFault(fault: unknown, res: GatewayResponse): void;
}

/** Asks the lanes in turn, and the full pipeline last. The text of `key` is empty if the request has no usable one. */
export function askLanes(
  options: LaneOptions,
  req: IncomingMessage,
  res: GatewayResponse,
  key: ApiKey,
  observer: RequestObserver | undefined,
): void {
  const { lanes, fullPipelineFields, places, onFault } = options;
  const calls = key.text === '' ? undefined : createCalls(options, key, res, observer);
  const request: LaneRequest | undefined = calls && {
    req,
    res,
    key,
    calls,
    observer,
    document: undefined,
    send(type, body) {
      try {
        res.writeComplete(`${type}; charset=utf-8`, body);
        finish();
      } catch (fault) {
        // If this threw, the error would surface in the REST call that completed this response.
        onFault(fault, res);
      }
    },
    finish,
  };
  let paramsPromise: Promise<GraphQLParams> | undefined;
  let leavePlace: (() => void) | undefined;

  if (!request || req.method !== 'POST' || fullPipelineFields.some((name) => req.headers[name]))
    void takeFullPipeline();
  else {
    // The full pipeline has the same rejected promise of `readParams`, and reports why.
    const onUnreadable = () => void takeFullPipeline();
    whenSettled(readParams(), (params) => ask(0, request, params), onUnreadable);
  }

  function readParams(): Promise<GraphQLParams> {
    paramsPromise ??= mapPromise(paramsFrom(req, options.maxBodyBytes), (params) => {
      if (observer) observer.params = params;
      // Taken once the body is read, until the response is written: a slow client holds no place.
      leavePlace = places.enter(key, res.disconnected);
      return params;
    });
    return paramsPromise;
  }

  function ask(n: number, request: LaneRequest, params: GraphQLParams): void {
    const lane = lanes[n];
    if (!lane) return void takeFullPipeline();
    try {
      lane(request, params, (streamRejection) =>
        streamRejection ? void takeFullPipeline(streamRejection) : ask(n + 1, request, params),
      );
    } catch (fault) {
      onFault(fault, res);
    }
  }

  async function takeFullPipeline(streamRejection?: GraphQLError): Promise<void> {
    try {
      const document = request?.document;
      await options.fullPipeline(req, res, { calls, observer, document, readParams, streamRejection });
      finish();
    } catch (fault) {
      onFault(fault, res);
    }
  }

  function finish(): void {
    leavePlace?.();
    if (res.writableEnded) calls?.end();
    paramsPromise = undefined;
    if (request) request.document = undefined;
  }
}

function createCalls(
  { client, operationTimeoutMs, maxUpstreamCalls, maxCallsOf }: LaneOptions,
  key: ApiKey,
  res: GatewayResponse,
  observer: RequestObserver | undefined,
): OperationCalls {
  const caller = createCaller(key, res.disconnected, operationTimeoutMs, res);
  const maxCalls = maxCallsOf?.(res.req.headers) ?? Infinity;
  const calls = new OperationCalls(client, caller, Math.min(maxCalls, maxUpstreamCalls));
  res.calls = calls;
  observer?.onCalls(key.hash, calls);
  return calls;
}
