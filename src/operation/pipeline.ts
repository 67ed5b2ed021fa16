import { createYoga } from 'graphql-yoga';
import type { OperationParts, PipelineCore, PipelineSettings } from '../composition.ts';
import { memoized } from '../rest/memo.ts';
import type { Context } from '../schema/builder.ts';
import { createInput } from '../schema/input.ts';
import { MAX_RESPONSE_VALUES, ResponseBudget } from '../schema/response-budget.ts';
import { MAX_RESOURCES } from './checks.ts';
import { createDocuments, type DocumentLimits, documentBounds, type Validate } from './document.ts';
import { rejectingLoaders } from './request.ts';
import type { DocumentSource, RequestContext } from './types.ts';

interface PipelineOptions extends PipelineSettings {
  siteIdPrefix: string;
  /** Other values than the constants beside the code. */
  bounds?: PipelineBounds | undefined;
  /** The phases and lanes of `features.ts`. */
  operationParts(core: PipelineCore): OperationParts;
}

export interface PipelineBounds extends Partial<DocumentLimits> {
  maxValues?: number;
  maxResources?: number;
  documentCacheBytes?: number;
  compiledBytes?: number;
}

/** Executes operations, from their parameters to the response. */
export function createPipeline({ bounds = {}, operationParts, siteIdPrefix, ...settings }: PipelineOptions) {
  const { schema } = settings;
  const input = createInput({ siteIdPrefix, maxIds: settings.maxIds });
  const limits = { ...documentBounds, ...bounds };
  const responseLimits = { maxValues: bounds.maxValues ?? MAX_RESPONSE_VALUES, maxErrors: limits.errors };
  const validate: Validate = memoized((document) => yoga.getEnveloped({}).validate(schema, document));
  const sources: DocumentSource[] = [];
  const { gauges, ...documents } = createDocuments({
    maxBytes: bounds.documentCacheBytes,
    limits,
    sources,
    validate,
  });
  const core: PipelineCore = {
    ...settings,
    ...documents,
    ...{ input, limits, responseLimits, validate },
    maxResources: bounds.maxResources ?? MAX_RESOURCES,
    compiledBytes: bounds.compiledBytes,
    innerQueryOf: (...operation) => parts.innerQueryOf?.(...operation),
  };
  const parts: OperationParts = operationParts(core);
  sources.push(...parts.sources);

  const yoga = createYoga<RequestContext, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ calls }) => ({
      loaders: calls ?? rejectingLoaders,
      input,
      response: new ResponseBudget(responseLimits),
    }),
    maskedErrors: { maskError: settings.mask, isDev: false },
    // The HTTP layer reads the request and has its own probes, and features have the page and CORS. The server's
    // health check matches any URL that ends in its path, and no URL ends in a space.
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
    ...parts,
    /** Responds to any request to the GraphQL endpoint. */
    fullPipeline: yoga,
    fullPipelineFields: parts.phases.flatMap(({ headerFields }) => headerFields ?? []),
    gauges: [...gauges, ...parts.gauges],
    /** Prepares what has to be ready before an operation is executed. Rejects with what is wrong with it. */
    start: () => Promise.all(parts.starts.map((start) => start())),
    /** Reads operations without executing them. */
    core,
  };
}
