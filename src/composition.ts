import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { GraphQLSchema, ValidationRule } from 'graphql';
import type { CoreConfig, CoreLimits } from './config/core.ts';
import type { Settings } from './config/settings.ts';
import type { Route } from './http/handler.ts';
import type { Lane } from './http/lanes.ts';
import type { GatewayResponse, LateFields } from './http/response.ts';
import type { Gauge } from './observers/gauges.ts';
import type { StartObserver } from './observers/observer.ts';
import type { BudgetOptions } from './operation/checks.ts';
import type { Documents } from './operation/document.ts';
import type { DocumentSource, Phase, ReadInnerQuery } from './operation/types.ts';
import type { Validate } from './operation/validate.ts';
import type { UpstreamRequest, UpstreamResponse } from './rest/call.ts';
import type { UpstreamParts } from './rest/stack.ts';
import type { ErrorMask } from './schema/error-mask.ts';
import type { Extend, SchemaText } from './schema/index.ts';

/** The program: the lists of `features.ts`, in their order. */
export interface Composition<Config extends CoreConfig> {
  settings: Settings<Config>;
  /** Possible additions to the public contract, which operations in logs and documents may use. */
  schemaTexts: readonly SchemaText[];
  /** The observers of a gateway, in the order of the start. Each gets the log that those before it write. */
  observers: readonly StartObserver<Config>[];
  /** Creates what a gateway consists of beside the core. `onFault` gets what the operator should know. */
  compose(config: Config, onFault: (fault: Error) => void): GatewayParts;
}

export interface GatewayParts {
  schema: readonly Extend[];
  /** How many REST calls a request with these header fields allows, if that is fewer than the setting. */
  maxCallsOf?(headers: IncomingHttpHeaders): number | undefined;
  responseFields: readonly SetFields[];
  lateFields: readonly LateFields[];
  upstream: UpstreamParts;
  routes(options: RouteOptions): readonly Route[];
  operationParts(core: PipelineCore): OperationParts;
}

export type SetFields = (req: IncomingMessage, res: GatewayResponse) => void;

export interface RouteOptions {
  example: Example;
  /** Writes a warning. */
  log(line: string): void;
  /** Texts that no line may hold. */
  secrets(): Iterable<string>;
}

export interface Example {
  /** The demo key; `''` if there is none. */
  apiKey: string;
  siteId: string;
  conversationId: string;
}

export interface PipelineSettings
  extends CoreLimits,
    Pick<CoreConfig, 'introspection' | 'maxUpstreamCalls' | 'operationTimeoutMs' | 'siteIdPrefix'> {
  schema: GraphQLSchema;
  mask: ErrorMask;
  /** Sends a REST call that no operation makes. Absent if operations are only read. */
  request?(request: UpstreamRequest): Promise<UpstreamResponse>;
  isObserved?: boolean;
}

/** The parts from which phases and lanes are created, and with which operations are read. */
export interface PipelineCore extends PipelineSettings, BudgetOptions, Documents {
  validate: Validate;
  /** Reads the query within an operation of another kind, if there is one. */
  innerQueryOf: ReadInnerQuery;
}

/** How operations are executed: the phases of the full pipeline in their order, and the lanes before it. */
export interface OperationParts {
  phases: readonly Phase[];
  lanes: readonly Lane[];
  sources: readonly DocumentSource[];
  /** For every document, besides those of GraphQL. */
  rules: readonly ValidationRule[];
  innerQueryOf?: ReadInnerQuery | undefined;
  /** Each is awaited before the port opens, and rejects if the gateway cannot serve. */
  starts: readonly (() => Promise<void>)[];
  /** Further checks of `check-config`: each returns a line about its settings, or all faults. */
  checks: readonly (() => Promise<{ lines: string[]; faults: string[] }>)[];
  gauges: readonly Gauge[];
  /** True if a request with these header fields is planned in place of executed. Absent: none is. */
  isPlan?(headers: IncomingHttpHeaders): boolean;
}
