import type { IncomingMessage } from 'node:http';
import type { Config } from './config.ts';
import type { Route } from './http/handler.ts';
import type { GatewayResponse } from './http/response.ts';
import type { OperationParts, PipelineCore } from './operation/pipeline.ts';
import type { UpstreamParts } from './upstream/client.ts';

/** What a gateway consists of beside the core: the lists of `features.ts`, in their order. */
export interface Composition {
  /** What sets header fields of each response, before anything else of its request is looked at. */
  responseFields(config: Config): readonly SetFields[];
  /** What responds to requests that are no operations. */
  routes(options: RouteOptions): readonly Route[];
  /** What is on the way of a REST call. `onFault` gets what the operator should know. */
  upstream(given: Pick<Config, 'upstream' | 'live'> & { onFault(fault: Error): void }): UpstreamParts;
  /** How operations are executed. */
  operations(core: PipelineCore): OperationParts;
}

export type SetFields = (req: IncomingMessage, res: GatewayResponse) => void;

interface RouteOptions {
  config: Config;
  example: Example;
  /** Writes a warning. */
  log(line: string): void;
  /** Texts that no line may hold. */
  secrets(): Iterable<string>;
}

/** The values in the operations of examples. */
export interface Example {
  /** The demo key; `''` where there is none. */
  apiKey: string;
  siteId: string;
  conversationId: string;
}
