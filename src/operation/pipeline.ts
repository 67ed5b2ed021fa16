import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Config } from '../config.ts';
import type { ErrorMask } from '../errors.ts';
import type { Input } from '../input.ts';
import type { Loaders } from '../loaders.ts';
import type { Context } from '../schema/builder.ts';
import { useCheckedArguments } from './arguments.ts';
import { useExplain } from './explain.ts';
import { refusingLoaders, useKey } from './key.ts';
import { useMaskedParts } from './parts.ts';
import { useWholeRefusal } from './refusal.ts';
import { useReadableRequest } from './request.ts';
import { useHiddenSchema, useQueriesOnly } from './rules.ts';
import { useStale } from './stale.ts';
import { useWholeExecution } from './whole.ts';

/** What the front door knows of a request. */
export interface RequestContext {
  /** What the operation may load with; absent where the request came without a usable key. */
  loaders: Loaders | undefined;
}

export interface PipelineOptions {
  schema: GraphQLSchema;
  input: Input;
  introspection: Config['introspection'];
  maxBodyBytes: number;
  mask: ErrorMask;
}

/** What happens to an operation from its text to its answer: a listener for requests to the GraphQL endpoint. */
export function createPipeline({ schema, input, introspection, maxBodyBytes, mask }: PipelineOptions) {
  return createYoga<RequestContext, Context>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ loaders }) => ({ loaders: loaders ?? refusingLoaders, input }),
    maskedErrors: { maskError: mask, isDev: false },
    maxRequestBodySize: maxBodyBytes,
    // The front door has its own page, probes and CORS; the server's health check would answer any URL that ends in
    // its path, and no URL ends in a blank.
    graphiql: false,
    landingPage: false,
    healthCheckEndpoint: ' ',
    cors: false,
    multipart: false,
    logging: false,
    plugins: [
      useReadableRequest(),
      useKey(introspection),
      useDeferStream(),
      useQueriesOnly(),
      ...(introspection === 'off' ? [useHiddenSchema()] : []),
      useCheckedArguments(),
      useWholeExecution(),
      useMaskedParts(mask),
      useWholeRefusal(),
      useStale(),
      useExplain(),
      useNoStore(),
    ],
  });
}

/** The front door says so already, but the server has its own word for event streams. */
function useNoStore(): Plugin {
  return { onResponse: ({ response }) => response.headers.set('cache-control', 'no-store') };
}
