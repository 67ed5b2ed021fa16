import type { ValidationRule } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { OperationParts, PipelineCore, PipelineSettings } from '../composition.ts';
import type { Context } from '../schema/builder.ts';
import { createInput } from '../schema/input.ts';
import { ResponseBudget } from '../schema/response-budget.ts';
import { createDocuments } from './document.ts';
import { rejectingLoaders } from './required-key.ts';
import type { DocumentSource, RequestContext } from './types.ts';
import { createValidate } from './validate.ts';

interface PipelineOptions extends PipelineSettings {
  /** What executes operations: the lists of `features.ts`. */
  operationParts(core: PipelineCore): OperationParts;
}

/** Switches off the parts of Yoga that the gateway has elsewhere. */
const withoutOwnParts = {
  graphiql: false,
  landingPage: false,
  cors: false,
  // The HTTP layer has its own probes. Yoga's matches any URL that ends in its path, and no URL ends in a space.
  healthCheckEndpoint: ' ',
  // The HTTP layer reads the body.
  multipart: false,
  maxRequestBodySize: false,
  // The error mask reports faults.
  logging: false,
  // The phases have their own.
  parserAndValidationCache: false,
} as const;

/** Creates what executes operations, from their parameters to the response. */
export function createPipeline({ operationParts, ...settings }: PipelineOptions) {
  const { schema } = settings;
  const input = createInput(settings);
  // `parts` and the elements of `rules` and `sources` come below, from the core: nothing reads them before.
  const rules: ValidationRule[] = [];
  const sources: DocumentSource[] = [];
  const validate = createValidate({ ...settings, rules });
  const core: PipelineCore = {
    ...settings,
    ...createDocuments({ ...settings, sources, validate }),
    input,
    validate,
    innerQueryOf: (...operation) => parts.innerQueryOf?.(...operation),
  };
  const parts: OperationParts = operationParts(core);
  rules.push(...parts.rules);
  sources.push(...parts.sources);

  const yoga = createYoga<RequestContext, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ calls }) => ({
      loaders: calls ?? rejectingLoaders,
      input,
      response: new ResponseBudget(settings),
    }),
    maskedErrors: { maskError: settings.mask, isDev: false },
    extraParamNames: ['documentId'],
    ...withoutOwnParts,
    plugins: [...parts.phases],
  });
  return {
    ...parts,
    /** Responds to any request to the GraphQL endpoint. */
    fullPipeline: yoga,
    fullPipelineFields: parts.phases.flatMap(({ headerFields }) => headerFields ?? []),
    /** Prepares what has to be ready before an operation is executed. Rejects with the reason why something is not. */
    start: () => Promise.all(parts.starts.map((start) => start())),
    /** Reads operations without executing them. */
    core,
  };
}
