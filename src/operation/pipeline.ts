import type { IncomingMessage, ServerResponse } from 'node:http';
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Config } from '../config.ts';
import type { ErrorMask } from '../errors.ts';
import type { Gauge } from '../gauges.ts';
import type { Context } from '../schema/builder.ts';
import { MAX_RESPONSE_VALUES, ResponseBudget } from '../schema/response-budget.ts';
import type { Polls } from '../upstream/polls/polls.ts';
import { checkArguments, createBudgetCheck, MAX_RESOURCES, operationCheck } from './checks.ts';
import { createCompiler } from './compiler.ts';
import { createCoordinates } from './coordinates.ts';
import {
  createDocuments,
  type DocumentLimits,
  documentBounds,
  documentLimits,
  identify,
  validation,
} from './document.ts';
import { execution } from './execute.ts';
import { explainPlan, type PlanOptions } from './explain/plan.ts';
import { createPlanner } from './explain/planner.ts';
import { explainReport } from './explain/report.ts';
import { createFastPath } from './fast-path.ts';
import { describingFields } from './fields.ts';
import {
  errorLocations,
  maskedIncremental,
  observation,
  plainFields,
  rejectedOperation,
  responseBounds,
  staleData,
} from './finish.ts';
import { createExecuteLive } from './live/execution.ts';
import { createLive } from './live/live.ts';
import { createReadLiveOperation, type LiveSettings, liveOperations } from './live/operation.ts';
import {
  acceptedRequest,
  explainHeader,
  incrementalFormat,
  rejectingLoaders,
  requestedOperation,
  requiredKey,
} from './request.ts';
import { type TrustOptions, trustedDocuments, type Validate } from './trusted-documents.ts';
import type { Phase, RequestContext } from './types.ts';

interface PipelineOptions extends Omit<PlanOptions, 'maxResources'> {
  schema: GraphQLSchema;
  introspection: Config['introspection'];
  maxDepth: number;
  maxResponseBytes: number;
  /** Memory of the compiled operations; 0: none is compiled. */
  compiledBytes: number;
  /** Other values than the constants beside the code. */
  bounds?: PipelineBounds | undefined;
  mask: ErrorMask;
  /** Absent: there are no trusted documents. */
  trust?: TrustOptions | undefined;
  /** Absent: there are no live queries; otherwise the schema has their root field. */
  live?: LiveSettings | null;
  polls?: Polls | null;
  operationTimeoutMs: number;
  /** Whether requests have an observer. */
  isObserved?: boolean;
}

export interface PipelineBounds extends Partial<DocumentLimits> {
  maxValues?: number;
  maxResources?: number;
  documentCacheBytes?: number;
}

export type Pipeline = ReturnType<typeof createPipeline>;

/** Executes operations, from their parameters to the response. */
export function createPipeline({ bounds = {}, ...given }: PipelineOptions) {
  const options = { ...given, maxResources: bounds.maxResources ?? MAX_RESOURCES };
  const { schema, input, introspection, maxResponseBytes: maxBytes, mask, trust } = options;
  const limits = {
    ...documentBounds,
    depth: options.maxDepth,
    describing: describingFields(schema),
    ...bounds,
  };
  const responseLimits = { maxValues: bounds.maxValues ?? MAX_RESPONSE_VALUES, maxErrors: limits.errors };
  const validate: Validate = (document) => yoga.getEnveloped({}).validate(schema, document);
  const documents = createDocuments({ maxBytes: bounds.documentCacheBytes, limits, trust, validate });
  const compiler = createCompiler({
    schema,
    maxBytes: options.compiledBytes,
    checksOf: (operation) => phases.flatMap(({ checkOf }) => checkOf?.(operation) ?? []),
  });
  const { polls } = options;
  const liveOptions = options.live && { ...options, live: options.live };
  const readLive = liveOptions && createReadLiveOperation(liveOptions);

  // The phases of an operation, in their order. A new phase is a new line here.
  const phases: readonly Phase[] = [
    explainHeader,
    trustedDocuments(trust),
    acceptedRequest,
    requiredKey(options, limits),
    documentLimits(limits),
    requestedOperation,
    useDeferStream() as object,
    validation(introspection),
    operationCheck(checkArguments),
    // Before the check of the budget: a plan shows what is too expensive.
    explainPlan(options),
    operationCheck(createBudgetCheck(options)),
    ...(liveOptions && readLive ? [liveOperations(readLive, liveOptions)] : []),
    execution,
    maskedIncremental(mask),
    rejectedOperation,
    staleData,
    explainReport,
    responseBounds(responseLimits, maxBytes),
    // After all that may replace a response in parts by a complete one.
    incrementalFormat,
    errorLocations,
    ...(options.isObserved ? [observation] : []),
    plainFields,
  ];

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
    // Syntax errors are not cached.
    parserAndValidationCache: {
      documentCache: documents.cache,
      errorCache: { get: () => undefined, set: () => {} },
    },
    plugins: [...phases],
  });
  const live =
    liveOptions && readLive && polls
      ? createLive({
          ...liveOptions,
          polls,
          findDocument: documents.find,
          readOperation: readLive,
          execute: createExecuteLive({ input, compiler, mask, responseLimits, maxBytes }),
        })
      : undefined;
  const fastPath =
    options.compiledBytes > 0
      ? createFastPath({ input, phases, findDocument: documents.find, compiler, responseLimits, maxBytes })
      : undefined;
  return {
    /** The full pipeline: responds to any request to the GraphQL endpoint. */
    answer: (req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> | void =>
      yoga(req, res, context),
    /** Undefined where there are no live queries. */
    live,
    /** Undefined where no operation is compiled. */
    fastPath,
    gauges: [
      ...compiler.gauges,
      ...documents.gauges,
      ...(fastPath ? [fastPath.gauge] : []),
      ...(live?.gauges ?? []),
    ] satisfies Gauge[],
    identify,
    /** The fields of the schema. */
    coordinates: createCoordinates(schema),
    /** Validates a document outside of any request. */
    validate,
    /** Plans documents outside of any request. */
    planner: createPlanner({ ...options, limits, validate }),
  };
}
