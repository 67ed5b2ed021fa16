import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { CoreConfig } from './config/core.ts';
import type { Settings } from './config/settings.ts';
import type { Route } from './http/handler.ts';
import type { Lane } from './http/lanes.ts';
import type { GatewayResponse } from './http/response.ts';
import type { Gauge } from './observers/gauges.ts';
import type { StartObserver } from './observers/observer.ts';
import type { BudgetOptions } from './operation/checks.ts';
import type { DocumentLimits, Documents, Validate } from './operation/document.ts';
import type { DocumentSource, Phase, ReadInnerQuery } from './operation/types.ts';
import type { UpstreamRequest, UpstreamResponse } from './rest/call.ts';
import type { UpstreamParts } from './rest/stack.ts';
import type { ErrorMask } from './schema/errors.ts';
import type { Extend, SchemaText } from './schema/index.ts';
import type { ResponseLimits } from './schema/response-budget.ts';

/** What the program consists of: the lists of `features.ts`, in their order. */
export interface Composition<Config extends CoreConfig> {
  settings: Settings<Config>;
  /** What the schema may have beside the public contract, which logs and documents may be of. */
  schemaTexts: readonly SchemaText[];
  /** What observes a gateway, in the order of the start. Each gets the log that those before it write. */
  observers: readonly StartObserver<Config>[];
  /** Creates what a gateway consists of beside the core. `onFault` gets what the operator should know. */
  compose(config: Config, onFault: (fault: Error) => void): GatewayParts;
}

export interface GatewayParts {
  /** What the schema has beside the public contract, in the order in which it is added. */
  schema: readonly Extend[];
  /** How many REST calls a request with these header fields allows, if that is fewer than the setting. */
  maxCallsOf?(headers: IncomingHttpHeaders): number | undefined;
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

export interface RouteOptions {
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

/** What a gateway gives its pipeline. */
export interface PipelineSettings
  extends Pick<
    CoreConfig,
    'introspection' | 'maxIds' | 'maxResponseBytes' | 'maxUpstreamCalls' | 'operationTimeoutMs'
  > {
  schema: GraphQLSchema;
  mask: ErrorMask;
  /** Sends a REST call that no operation makes. Absent where operations are only read. */
  request?(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** Whether requests have an observer. */
  isObserved?: boolean;
}

/** What the phases and the lanes of a pipeline are created from, and operations are read by. */
export interface PipelineCore extends PipelineSettings, BudgetOptions, Documents {
  limits: DocumentLimits;
  responseLimits: ResponseLimits;
  /** Validates a document outside of any request. */
  validate: Validate;
  /** Reads the query within an operation of another kind, if there is one. */
  innerQueryOf: ReadInnerQuery;
  /** Another limit of compiled operations, for tests. */
  compiledBytes?: number | undefined;
  /** To be called once all of them are created. */
  phases(): readonly Phase[];
}

/** How operations are executed: the phases of the full pipeline in their order, and the lanes before it. */
export interface OperationParts {
  phases: readonly Phase[];
  lanes: readonly Lane[];
  sources: readonly DocumentSource[];
  innerQueryOf?: ReadInnerQuery | undefined;
  /** Each is awaited before the port opens, and rejects if the gateway cannot serve. */
  starts: readonly (() => Promise<void>)[];
  /** What `check-config` reads beside the settings: a line of what is set, or all faults. */
  checks: readonly (() => Promise<{ lines: string[]; faults: string[] }>)[];
  gauges: readonly Gauge[];
  /** Whether a request with these header fields is planned in place of executed. Absent: none is. */
  isPlan?(headers: IncomingHttpHeaders): boolean;
}
