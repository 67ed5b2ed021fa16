import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { CoreConfig } from '../config/core.ts';
import type { ErrorMask } from '../errors.ts';
import type { Gauge } from '../gauges.ts';
import type { Lane } from '../http/lanes.ts';
import { memoized } from '../memo.ts';
import type { Context } from '../schema/builder.ts';
import { MAX_RESPONSE_VALUES, ResponseBudget, type ResponseLimits } from '../schema/response-budget.ts';
import type { UpstreamRequest, UpstreamResponse } from '../upstream/call.ts';
import { type BudgetOptions, MAX_RESOURCES } from './checks.ts';
import { createCoordinates } from './coordinates.ts';
import {
  createDocuments,
  type DocumentLimits,
  type Documents,
  documentBounds,
  identify,
  type Validate,
} from './document.ts';
import { describingFields } from './fields.ts';
import { rejectingLoaders } from './request.ts';
import type { DocumentSource, Phase, ReadInnerQuery, RequestContext } from './types.ts';

/** What a gateway gives its pipeline. */
interface PipelineOptions extends PipelineSettings {
  schema: GraphQLSchema;
  /** Other values than the constants beside the code. */
  bounds?: PipelineBounds | undefined;
  /** What executes operations: the lists of `features.ts`. */
  operationParts(core: PipelineCore): OperationParts;
}

interface PipelineSettings extends Omit<BudgetOptions, 'maxResources'> {
  introspection: CoreConfig['introspection'];
  maxDepth: number;
  maxResponseBytes: number;
  mask: ErrorMask;
  /** Sends a REST call that no operation makes. Absent where operations are only read. */
  request?(request: UpstreamRequest): Promise<UpstreamResponse>;
  operationTimeoutMs: number;
  /** Whether requests have an observer. */
  isObserved?: boolean;
}

/** What operations are read by. */
export interface Operations extends BudgetOptions {
  schema: GraphQLSchema;
  limits: DocumentLimits;
  /** Validates a document outside of any request. */
  validate: Validate;
  /** Reads the query within an operation of another kind, if there is one. */
  innerQueryOf: ReadInnerQuery;
}

/** What the phases and the lanes of a pipeline are created from. */
export interface PipelineCore extends Omit<PipelineSettings, 'maxDepth'>, Operations, Documents {
  responseLimits: ResponseLimits;
  /** To be called once all of them are created. */
  phases(): readonly Phase[];
}

/** How operations are executed: the phases of the full pipeline in their order, and the lanes before it. */
export interface OperationParts {
  phases: readonly Phase[];
  lanes: readonly Lane[];
  sources: readonly DocumentSource[];
  innerQueries: readonly ReadInnerQuery[];
  /** What has to be ready before an operation is executed, and is closed in the end. `log` gets warnings. */
  starts: readonly ((log: (line: string) => void) => Promise<Closable>)[];
  /** What `check-config` reads beside the settings. */
  checks: readonly (() => Promise<Checked>)[];
  gauges: readonly Gauge[];
  /** Whether a request with these header fields is planned in place of executed. Absent: none is. */
  isPlan?(headers: IncomingHttpHeaders): boolean;
}

interface Closable {
  close(): Promise<void>;
}

/** A line of what is set, or all faults, each with the name of its setting. */
interface Checked {
  lines: string[];
  faults: string[];
}

export interface PipelineBounds extends Partial<DocumentLimits> {
  maxValues?: number;
  maxResources?: number;
  documentCacheBytes?: number;
}

export type Pipeline = ReturnType<typeof createPipeline>;

/** Executes operations, from their parameters to the response. */
export function createPipeline({ bounds = {}, operationParts, ...given }: PipelineOptions) {
  const options = { ...given, maxResources: bounds.maxResources ?? MAX_RESOURCES };
  const { schema, input, mask } = options;
  const limits = {
    ...documentBounds,
    depth: options.maxDepth,
    describing: describingFields(schema),
    ...bounds,
  };
  const responseLimits = { maxValues: bounds.maxValues ?? MAX_RESPONSE_VALUES, maxErrors: limits.errors };
  const validate: Validate = memoized((document) => yoga.getEnveloped({}).validate(schema, document));
  const source = firstOf(() => parts.sources);
  const { gauges, ...documents } = createDocuments({
    ...{ maxBytes: bounds.documentCacheBytes, limits, source, validate },
  });
  const core: PipelineCore = {
    ...options,
    ...documents,
    ...{ limits, responseLimits, validate },
    innerQueryOf: firstOf(() => parts.innerQueries),
    phases: () => parts.phases,
  };
  const parts: OperationParts = operationParts(core);

  const yoga = createYoga<RequestContext, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ calls }) => ({
      loaders: calls?.loaders() ?? rejectingLoaders,
      input,
      response: new ResponseBudget(responseLimits),
    }),
    maskedErrors: { maskError: mask, isDev: false },
    // The HTTP layer reads the request, and has its own page, probes and CORS. The server's health check
    // matches any URL that ends in its path, and no URL ends in a space.
    graphiql: false,
    landingPage: false,
    healthCheckEndpoint: ' ',
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    extraParamNames: ['documentId'],
    logging: false,
    // The phases have their own.
    parserAndValidationCache: false,
    plugins: [...parts.phases],
  });
  return {
    /** The full pipeline: responds to any request to the GraphQL endpoint. */
    answer: (req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> | void =>
      yoga(req, res, context),
    /** The lanes before it, in their order. */
    lanes: parts.lanes,
    isPlan: parts.isPlan,
    gauges: [...gauges, ...parts.gauges] satisfies Gauge[],
    identify,
    /** The fields of the schema. */
    coordinates: createCoordinates(schema),
    /** Prepares what has to be ready before an operation is executed. Rejects with what is wrong with it. */
    async start(log: (line: string) => void): Promise<Closable> {
      const started = await Promise.all(parts.starts.map((start) => start(log)));
      return { close: async () => void (await Promise.all(started.map(({ close }) => close()))) };
    },
    checks: parts.checks,
    /** What operations are read by. */
    operations: core as Operations,
  };
}

/** Calls these functions in turn, until one of them returns something. */
function firstOf<A extends unknown[], T>(functions: () => readonly ((...given: A) => T | undefined)[]) {
  return (...given: A): T | undefined => {
    for (const one of functions()) {
      const result = one(...given);
      if (result !== undefined) return result;
    }
    return undefined;
  };
}
