import type { IncomingMessage } from 'node:http';
import type { CoreConfig } from './config/core.ts';
import type { Settings } from './config.ts';
import type { Example } from './example.ts';
import type { Route } from './http/handler.ts';
import type { GatewayResponse } from './http/response.ts';
import type { StartObserver } from './observers/observer.ts';
import type { OperationParts, PipelineCore } from './operation/pipeline.ts';
import type { Extend, SchemaText } from './schema/sdl.ts';
import type { UpstreamParts } from './upstream/client.ts';

/** What the program consists of: the lists of `features.ts`, in their order. */
export interface Composition<Config extends CoreConfig> {
  settings: Settings<Config>;
  /** What the schema may have beside the public contract, which logs and documents may be of. */
  schemaTexts: readonly SchemaText[];
  /**
   * What observes a gateway, in the order of the start; the last one is closed first. Each gets the log that those
   * before it write.
   */
  observers: readonly StartObserver<Config>[];
  /** Creates what a gateway consists of beside the core. `onFault` gets what the operator should know. */
  compose(config: Config, onFault: (fault: Error) => void): GatewayParts;
}

export interface GatewayParts {
  /** What the schema has beside the public contract, in the order in which it is added. */
  schema: readonly Extend[];
  /** The header fields that clients may send: those that are read, and those that they send by default. */
  requestFields: readonly string[];
  /** What sets header fields of each response, before anything else of its request is looked at. */
  responseFields: readonly SetFields[];
  /** What is on the way of a REST call. */
  upstream: UpstreamParts;
  /** What responds to requests that are no operations. */
  routes(options: RouteOptions): readonly Route[];
  /** How operations are executed. */
  operationParts(core: PipelineCore): OperationParts;
}

export type SetFields = (req: IncomingMessage, res: GatewayResponse) => void;

export interface RouteOptions extends Pick<GatewayParts, 'requestFields'> {
  example: Example;
  /** Writes a warning. */
  log(line: string): void;
  /** Texts that no line may hold. */
  secrets(): Iterable<string>;
}
