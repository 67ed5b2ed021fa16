import type { IncomingMessage, ServerResponse } from 'node:http';
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Config } from '../config.ts';
import type { ErrorMask } from '../errors.ts';
import type { Input } from '../input.ts';
import type { Context } from '../schema/builder.ts';
import { MAX_RESPONSE_VALUES, ResponseBudget } from '../schema/response-budget.ts';
import type { Polls } from '../upstream/polls/polls.ts';
import { checkArguments } from './checks/arguments.ts';
import { createBudgetCheck, MAX_RESOURCES } from './checks/budget.ts';
import { operationCheck } from './checks/check.ts';
import { createFindDocument } from './document/find-document.ts';
import {
  createDocumentCache,
  type DocumentLimits,
  documentBounds,
  documentLimits,
  noErrorCache,
} from './document/limits.ts';
import { createFindValidDocument } from './document/valid-document.ts';
import { validation } from './document/validation-rules.ts';
import { type Compiler, compilation, createCompiler } from './execution/compiler.ts';
import { execution } from './execution/execute.ts';
import { explainHeader, explainPlan, explainReport } from './explain/phases.ts';
import type { PlanOptions } from './explain/plan.ts';
import { createPlanner, type Planner } from './explain/planner.ts';
import { createFastPath, type FastPath } from './fast-path.ts';
import { createIdentify, type Identify } from './identity.ts';
import { refusingLoaders, requiredKey } from './key.ts';
import { createLive, type Live, type LiveSettings } from './live/live.ts';
import { createExecuteLive } from './live/live-execution.ts';
import { createReadLiveOperation } from './live/live-operation.ts';
import { liveOperations } from './live/live-phase.ts';
import { acceptedRequest, incrementalFormat } from './request.ts';
import { responseBounds } from './response/bounds.ts';
import { errorLocations } from './response/error-locations.ts';
import { maskedIncremental } from './response/mask-incremental.ts';
import { observation } from './response/observe.ts';
import { refusedOperation } from './response/refused-operation.ts';
import { staleData } from './response/stale.ts';
import type { Validate } from './trusted/manifest.ts';
import { type TrustOptions, trustedDocuments } from './trusted/trusted-documents.ts';
import type { Phase, RequestContext } from './types.ts';

export interface PipelineOptions {
  schema: GraphQLSchema;
  input: Input;
  introspection: Config['introspection'];
  maxDepth: number;
  maxIds: number;
  maxUpstreamCalls: number;
  maxResponseBytes: number;
  /** Memory of the compiled operations; 0: none is compiled. */
  compiledBytes: number;
  /** Other values than the constants beside the code. */
  bounds?: PipelineBounds | undefined;
  toPath: PlanOptions['toPath'];
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
  compilePercent?: number;
}

/** Executes operations, from their parameters to the response. */
export interface Pipeline {
  /** The full pipeline: responds to any request to the GraphQL endpoint. */
  answer(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> | void;
  /** Undefined where no operation is compiled. */
  fastPath: FastPath | undefined;
  /** Undefined where there are no live queries. */
  live: Live | undefined;
  /** The operations that are compiled: their number and their memory in bytes. */
  readonly compiled: Compiler['usage'];
  identify: Identify;
  /** The documents in the cache: their number and their memory in bytes. */
  readonly documents: { count: number; bytes: number };
  /** Validates a document outside of any request. */
  validate: Validate;
  /** Plans documents outside of any request. */
  planner: Planner;
}

export function createPipeline({ bounds = {}, ...given }: PipelineOptions): Pipeline {
  const options = { ...given, maxResources: bounds.maxResources ?? MAX_RESOURCES };
  const { schema, input, introspection, maxResponseBytes: maxBytes, mask, trust } = options;
  const limits = { ...documentBounds, depth: options.maxDepth, ...bounds };
  const responseLimits = { maxValues: bounds.maxValues ?? MAX_RESPONSE_VALUES, maxErrors: limits.errors };
  const documents = createDocumentCache(bounds.documentCacheBytes);
  const findDocument = createFindDocument(documents, trust);
  const compiler = createCompiler({
    schema,
    maxBytes: options.compiledBytes,
    percent: bounds.compilePercent,
    checksOf: (operation) => phases.flatMap(({ checkOf }) => checkOf?.(operation) ?? []),
  });

  const { live: settings, polls } = options;
  const readOperation = createReadLiveOperation(options);

  // The phases of an operation, in their order. A new phase is a new line here.
  const phases: readonly Phase[] = [
    explainHeader(),
    trustedDocuments(trust),
    acceptedRequest(),
    requiredKey(introspection, limits),
    documentLimits(limits),
    { plugins: [useDeferStream()] },
    validation(introspection),
    operationCheck(checkArguments),
    // Before the check of the budget: a plan shows what is too expensive.
    explainPlan(options),
    operationCheck(createBudgetCheck(options)),
    liveOperations(settings && { ...options, settings, readOperation }),
    compilation(compiler),
    execution(),
    maskedIncremental(mask),
    refusedOperation(),
    staleData(),
    explainReport(),
    responseBounds(responseLimits, maxBytes),
    // After all that may replace a response in parts by a complete one.
    incrementalFormat(),
    errorLocations(),
    ...(options.isObserved ? [observation()] : []),
    { plugins: [usePlainFields()] },
  ];

  const yoga = createYoga<RequestContext, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ loaders }) => ({
      loaders: loaders ?? refusingLoaders,
      input,
      response: new ResponseBudget(responseLimits),
    }),
    maskedErrors: { maskError: mask, isDev: false },
    // The HTTP layer reads the request, and has its own page, probes and CORS. The server's health check matches any URL
    // that ends in its path, and no URL ends in a space.
    graphiql: false,
    landingPage: false,
    healthCheckEndpoint: ' ',
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    extraParamNames: ['documentId'],
    logging: false,
    parserAndValidationCache: { documentCache: documents, errorCache: noErrorCache },
    plugins: phases.flatMap(({ plugins }) => plugins),
  });
  const validate: Validate = (document) => yoga.getEnveloped({}).validate(schema, document);
  return {
    answer: yoga,
    live:
      settings && polls
        ? createLive({
            ...options,
            settings,
            polls,
            findDocument: createFindValidDocument({ ...options, limits, findDocument, documents, validate }),
            readOperation,
            execute: createExecuteLive({ schema, input, compiler, mask, responseLimits, maxBytes }),
          })
        : undefined,
    fastPath:
      options.compiledBytes > 0
        ? createFastPath({ input, phases, findDocument, compiler, responseLimits, maxBytes })
        : undefined,
    get compiled() {
      return compiler.usage;
    },
    identify: createIdentify(findDocument),
    get documents() {
      return { count: documents.size, bytes: documents.calculatedSize };
    },
    validate,
    planner: createPlanner({ ...options, limits, validate }),
  };
}

/** Leaves header fields that every response has to the HTTP layer: the server sets its own on a response in parts. */
function usePlainFields(): Plugin {
  return {
    onResponse({ response: { headers } }) {
      headers.delete('cache-control');
      // The server does not know whether the connection stays open.
      headers.delete('connection');
    },
  };
}
