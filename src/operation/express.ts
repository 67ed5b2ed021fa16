import type { IncomingHttpHeaders } from 'node:http';
import { type DocumentNode, type ExecutionArgs, type GraphQLSchema, getOperationAST } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Config } from '../config.ts';
import type { Input } from '../input.ts';
import type { Loaders } from '../loaders.ts';
import { ResponseBudget, type ResponseLimits } from '../schema/response-budget.ts';
import { wholeTypeOf } from './accept.ts';
import type { Check } from './checks.ts';
import { type Compiled, type Compiler, createCompiler } from './compiled.ts';
import type { DocumentCache } from './limits.ts';
import { variablesOf } from './reading.ts';
import { isWithinBounds } from './response-bounds.ts';
import { idFrom, type Trust } from './trusted.ts';

/**
 * The short cut for the common operation: one that came all the way before, from its text to its execution, and
 * that meets no fault this time. Its answer is, byte for byte, what the whole way would bring; whatever may not be is
 * left to the whole way, which reads from the same loaders and so asks the REST API nothing twice.
 */
export interface ExpressLane {
  /** The media type of the answer to a POST with these fields; undefined for what has to go the whole way. */
  typeOf(headers: IncomingHttpHeaders): string | undefined;
  /** The body of the answer; undefined for what has to go the whole way, as has what rejects. */
  answer(params: GraphQLParams, loaders: Loaders): Promise<string | undefined> | undefined;
  /** How many requests it has answered. */
  readonly answered: number;
  /** The operations that are compiled: how many, and what they take in memory. */
  readonly compiled: Compiler['kept'];
  /** Watches the whole way, to learn which operations come along it. */
  readonly plugin: Plugin;
}

export interface ExpressOptions {
  schema: GraphQLSchema;
  input: Input;
  documents: DocumentCache;
  trust: Trust | undefined;
  /** What an operation must pass each time, for its variables decide it. */
  checks: readonly Check[];
  compiler: Config['compiler'];
  responseLimits: ResponseLimits;
  /** How large an answer may be. */
  maxBytes: number;
}

export function createExpressLane(options: ExpressOptions): ExpressLane {
  const { schema, input, documents, trust, checks, responseLimits, maxBytes } = options;
  const compiler = createCompiler({ schema, ...options.compiler });

  let answered = 0;

  async function executed(
    execute: Compiled,
    { variableValues }: ExecutionArgs,
    loaders: Loaders,
  ): Promise<string | undefined> {
    const response = new ResponseBudget(responseLimits);
    const result = await execute({ input, loaders, response }, variableValues);
    if (result.errors || !loaders.calls.every(isPlain)) return undefined;
    if (!isWithinBounds(result, response, maxBytes)) return undefined;
    answered += 1;
    return JSON.stringify(result);
  }

  return {
    typeOf: (headers) => (headers['x-explain'] === undefined ? wholeTypeOf(headers.accept) : undefined),
    answer(params, loaders) {
      const document = fits(params) ? documentOf(params, documents, trust) : undefined;
      const { operationName, variables } = params;
      const execute = document && compiler.get(document, operationName);
      if (!execute) return undefined;
      const args = { schema, document, operationName, variableValues: variables };
      return hasValues(args) && passes(args, checks) ? executed(execute, args, loaders) : undefined;
    },
    get answered() {
      return answered;
    },
    get compiled() {
      return compiler.kept;
    },
    plugin: {
      onExecute({ args: { document, operationName } }) {
        compiler.note(document, operationName);
      },
    },
  };
}

/** Whether the parameters have the types that they should. */
function fits({ operationName, variables, extensions }: GraphQLParams): boolean {
  const isNamed = operationName == null || (typeof operationName === 'string' && operationName !== '');
  return isNamed && isObjectOrNothing(variables) && isObjectOrNothing(extensions);
}

function isObjectOrNothing(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}

/** The document that a request asks for, where it has been parsed. */
export function documentOf(
  params: GraphQLParams,
  documents: DocumentCache,
  trust: Trust | undefined,
): DocumentNode | undefined {
  const { query } = params;
  if (!trust) return typeof query === 'string' ? documents.get(query) : undefined;
  try {
    const id = idFrom(params);
    if (query != null) return id || trust.only ? undefined : documents.get(query);
    return id && trust.documents.inForce.get(id.text)?.document;
  } catch {
    return undefined;
  }
}

/** Whether the variables fit. Compiled code reports every value that does not: as many errors as a body holds. */
function hasValues({ schema, document, operationName, variableValues }: ExecutionArgs): boolean {
  const operation = getOperationAST(document, operationName);
  return operation != null && variablesOf(schema, operation, variableValues) !== undefined;
}

function passes(args: ExecutionArgs, checks: readonly Check[]): boolean {
  try {
    for (const check of checks) check(args);
    return true;
  } catch {
    return false;
  }
}

/** An answer that says nothing about the whole operation. */
function isPlain({ status, source }: Loaders['calls'][number]): boolean {
  return (status === 200 || status === 404) && source !== 'stale';
}
