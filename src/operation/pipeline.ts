import type { IncomingMessage, ServerResponse } from 'node:http';
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Config } from '../config.ts';
import type { ErrorMask } from '../errors.ts';
import type { Input } from '../input.ts';
import type { Loaders } from '../loaders.ts';
import type { Context } from '../schema/builder.ts';
import { ResponseBudget } from '../schema/response-budget.ts';
import { checkArguments } from './arguments.ts';
import { createBudgetCheck } from './budget.ts';
import { useCheck } from './checks.ts';
import { useErrorLocations } from './error-locations.ts';
import { useExplain, useKnownExplain } from './explain.ts';
import { createExpressLane, type ExpressLane } from './express.ts';
import { createIdentify, type Identify } from './identity.ts';
import { refusingLoaders, useKey } from './key.ts';
import { createDocumentCache, type DocumentLimits, noErrorCache, useDocumentLimits } from './limits.ts';
import { useMaskedParts } from './masked-parts.ts';
import { type PlanOptions, usePlan } from './plan.ts';
import { useWholeRefusal } from './refusal.ts';
import { usePartsFormat, useReadableRequest } from './request.ts';
import { useResponseBounds } from './response-bounds.ts';
import { useHiddenSchema, useLightErrors, useQueriesOnly } from './rules.ts';
import { useStale } from './stale.ts';
import { type Trust, useNoTrustedDocuments, useTrustedDocuments } from './trusted.ts';
import type { Validate } from './trusted-documents.ts';
import { useWatch, type Watch } from './watch.ts';
import { useWholeExecution } from './whole.ts';

/** What the front door knows of a request. */
export interface RequestContext {
  /** What the operation may load with; absent where the request came without a usable key. */
  loaders: Loaders | undefined;
  /** Reads what is asked for. Rejects with a GraphQLError where it cannot be read. */
  readParams(): Promise<GraphQLParams>;
  /** Notes what is wrong with the answer; absent: nobody wants to know. */
  watch?: Watch | undefined;
}

export interface PipelineOptions {
  schema: GraphQLSchema;
  input: Input;
  introspection: Config['introspection'];
  limits: DocumentLimits;
  documentCacheBytes: number;
  compiler: Config['compiler'];
  maxIds: number;
  maxUpstreamCalls: number;
  maxResources: number;
  response: Config['response'];
  toPath: PlanOptions['toPath'];
  mask: ErrorMask;
  /** Absent: every document comes as text. */
  trust?: Trust | undefined;
  /** Whether the requests come with somebody who watches. */
  isWatched?: boolean;
}

/** What happens to an operation from its text to its answer. */
export interface Pipeline {
  /** Answers a request to the GraphQL endpoint, whatever it asks. */
  answer(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> | void;
  /** The same for common ones, with less effort. */
  express: ExpressLane | undefined;
  /** Which operation is asked for, as far as it is known. */
  identify: Identify;
  /** The documents that are kept: how many, and what they take in memory. */
  readonly documents: { count: number; bytes: number };
  /** The rules for every document, outside of any request. */
  validate: Validate;
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const { schema, input, introspection, limits, compiler, mask, trust } = options;
  const documents = createDocumentCache(options.documentCacheBytes);
  const checkBudget = createBudgetCheck(options);
  const checks = [checkArguments, checkBudget];
  const { maxBytes, maxValues } = options.response;
  const responseLimits = { maxValues, maxErrors: limits.errors };
  const express =
    compiler.maxBytes > 0
      ? createExpressLane({ schema, input, documents, trust, checks, compiler, responseLimits, maxBytes })
      : undefined;
  const yoga = createYoga<RequestContext, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ loaders }) => ({
      loaders: loaders ?? refusingLoaders,
      input,
      response: new ResponseBudget(responseLimits),
    }),
    maskedErrors: { maskError: mask, isDev: false },
    // The front door reads the request, and has its own page, probes and CORS; the server's health check would answer any URL that ends in
    // its path, and no URL ends in a blank.
    graphiql: false,
    landingPage: false,
    healthCheckEndpoint: ' ',
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    extraParamNames: ['documentId'],
    logging: false,
    parserAndValidationCache: {
      documentCache: documents,
      errorCache: noErrorCache,
    },
    plugins: [
      useKnownExplain(),
      trust ? useTrustedDocuments(trust) : useNoTrustedDocuments(),
      useReadableRequest(),
      useKey(introspection, limits),
      useDocumentLimits(limits),
      useDeferStream(),
      useQueriesOnly(),
      useLightErrors(),
      ...(introspection === 'off' ? [useHiddenSchema()] : []),
      useCheck(checkArguments),
      useCheck(checkBudget),
      usePlan(options),
      ...(express ? [express.plugin] : []),
      useWholeExecution(),
      useMaskedParts(mask),
      useWholeRefusal(),
      useStale(),
      useExplain(),
      useResponseBounds(responseLimits, maxBytes),
      // After all that may replace a response in parts by a whole one.
      usePartsFormat(),
      useErrorLocations(),
      ...(options.isWatched ? [useWatch()] : []),
      usePlainFields(),
    ],
  });
  return {
    answer: yoga,
    express,
    identify: createIdentify(documents, trust),
    get documents() {
      return { count: documents.size, bytes: documents.calculatedSize };
    },
    validate: (document) => yoga.getEnveloped({}).validate(schema, document),
  };
}

/** Leaves to the front door what it says of every answer: the server has its own words on those that come in parts. */
function usePlainFields(): Plugin {
  return {
    onResponse({ response: { headers } }) {
      headers.delete('cache-control');
      // Whether a connection goes on is not known here, and a caller who is told so uses it again.
      headers.delete('connection');
    },
  };
}
