import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { CoreConfig } from '../config/core.ts';
import type { Gauge } from '../observers/gauges.ts';
import type { RequestContext, RequestObserver } from '../operation/types.ts';
import type { Signal } from '../rest/abort.ts';
import { createCaller } from '../rest/caller.ts';
import type { UpstreamClient } from '../rest/client.ts';
import { mapPromise, whenSettled } from '../rest/sync-promise.ts';
import { overloaded } from '../schema/errors.ts';
import { OperationCalls } from '../schema/loaders.ts';
import { paramsFrom } from './request.ts';
import type { GatewayResponse } from './response.ts';

/** Responds to a request that has a key and was sent by POST, or calls `next`, at once or later. */
export type Lane = (request: LaneRequest, params: GraphQLParams, next: Next) => void;

/** Passes a request to the next lane; with an error to the full pipeline, which reports it. */
export type Next = (rejection?: GraphQLError) => void;

/** A request to the GraphQL endpoint, the same in each lane: no REST call is made twice. */
export interface LaneRequest {
  readonly req: IncomingMessage;
  readonly res: GatewayResponse;
  readonly apiKey: string;
  readonly calls: OperationCalls;
  readonly observer: RequestObserver | undefined;
  /** Set once a lane has found it. */
  document: DocumentNode | undefined;
  send(type: string, body: string): void;
  /** To be called when a stream begins: an idle stream is no active operation, and keeps no parameters. */
  end(): void;
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

/** Asks the lanes in turn, and the full pipeline last. `apiKey`: empty if the request has no usable key. */
export function askLanes(
  options: LaneOptions,
  req: IncomingMessage,
  res: GatewayResponse,
  apiKey: string,
  observer: RequestObserver | undefined,
): void {
  const { lanes, fullPipelineFields, places, onFault } = options;
  const calls = apiKey === '' ? undefined : createCalls(options, apiKey, res, observer);
  const request: LaneRequest | undefined = calls && {
    req,
    res,
    apiKey,
    calls,
    observer,
    document: undefined,
    send(type, body) {
      try {
        res.writeComplete(`${type}; charset=utf-8`, body);
        end();
      } catch (fault) {
        // An error must not reach the REST call whose response completes this one.
        onFault(fault, res);
      }
    },
    end,
  };
  let params: Promise<GraphQLParams> | undefined;
  let leave: (() => void) | undefined;

  if (!request || req.method !== 'POST' || fullPipelineFields.some((name) => req.headers[name])) {
    void takeFullPipeline();
  } else {
    // The full pipeline reports why they cannot be read.
    const onUnreadable = () => void takeFullPipeline();
    whenSettled(readParams(), (params) => ask(0, request, params), onUnreadable);
  }

  function readParams(): Promise<GraphQLParams> {
    params ??= mapPromise(paramsFrom(req, options.maxBodyBytes), (params) => {
      if (observer) observer.params = params;
      // Once the request is received, until the response is written: a slow client does not count as active.
      leave = places.enter(apiKey, res.disconnected);
      return params;
    });
    return params;
  }

  function ask(n: number, request: LaneRequest, params: GraphQLParams): void {
    const lane = lanes[n];
    if (!lane) return void takeFullPipeline();
    try {
      lane(request, params, (rejection) =>
        rejection ? void takeFullPipeline(rejection) : ask(n + 1, request, params),
      );
    } catch (fault) {
      onFault(fault, res);
    }
  }

  async function takeFullPipeline(streamRejection?: GraphQLError): Promise<void> {
    try {
      const document = request?.document;
      await options.fullPipeline(req, res, { calls, observer, document, readParams, streamRejection });
      end();
    } catch (fault) {
      onFault(fault, res);
    }
  }

  function end(): void {
    leave?.();
    // Parts that follow take what is loaded: nothing is requested twice.
    if (res.writableEnded) calls?.end();
    params = undefined;
    if (request) request.document = undefined;
  }
}

function createCalls(
  { client, operationTimeoutMs, maxUpstreamCalls, maxCallsOf }: LaneOptions,
  apiKey: string,
  res: GatewayResponse,
  observer: RequestObserver | undefined,
): OperationCalls {
  const caller = createCaller(apiKey, res.disconnected, operationTimeoutMs, res);
  const maxCalls = maxCallsOf?.(res.req.headers) ?? Infinity;
  const calls = new OperationCalls(client, caller, Math.min(maxCalls, maxUpstreamCalls));
  res.calls = calls;
  observer?.onCalls(caller.keyHash, calls);
  return calls;
}

type OperationPlaces = ReturnType<typeof createOperationPlaces>;

/** A key may have this many times the free places: nine tenths if it is alone, and its share beside others. */
const MOST_OF_FREE = 9;

/** Limits the number of active operations, of all keys and of each, so that a key leaves places to the others. */
export function createOperationPlaces(limit: number) {
  let active = 0;
  const ofKeys = new Map<string, number>();
  /** True if another operation of this key would be rejected; `apiKey` is empty for a request without one. */
  const isFull = (apiKey: string) => {
    const free = limit - active;
    return free <= 0 || (ofKeys.get(apiKey) ?? 0) > MOST_OF_FREE * free;
  };
  const count = (apiKey: string, change: 1 | -1) => {
    active += change;
    const ofKey = (ofKeys.get(apiKey) ?? 0) + change;
    if (ofKey > 0) ofKeys.set(apiKey, ofKey);
    else ofKeys.delete(apiKey);
  };
  return {
    isFull,
    gauge: {
      name: 'portico_operations_active',
      help: 'Operations being executed',
      read: () => active,
    } satisfies Gauge,
    /** Counts an operation until the returned function is called or `disconnected` aborts. @throws GraphQLError at the limit */
    enter(apiKey: string, disconnected: Signal): () => void {
      if (isFull(apiKey)) throw overloaded();
      let isActive = !disconnected.aborted;
      if (isActive) count(apiKey, 1);
      const release = () => {
        if (isActive) count(apiKey, -1);
        isActive = false;
        disconnected.removeEventListener('abort', release);
      };
      disconnected.addEventListener('abort', release);
      return release;
    },
  };
}
