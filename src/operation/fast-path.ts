import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionArgs, GraphQLSchema } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Input } from '../input.ts';
import type { Loaders } from '../loaders.ts';
import { ResponseBudget, type ResponseLimits } from '../schema/response-budget.ts';
import type { FindDocument } from './document/find-document.ts';
import type { CompiledOperation, Compiler } from './execution/compiler.ts';
import { completeTypeOf } from './response/accept.ts';
import type { Phase } from './types.ts';

/**
 * Executes the operations that came before, compiled and without the server's plugins. Its response is, byte for byte, the one of
 * the full pipeline. An operation that any phase would refuse or change takes the full pipeline, which reads from the same
 * loaders and so makes no REST call twice.
 */
export interface FastPath {
  /** The media type of the response to a POST with these header fields; undefined where the full pipeline is needed. */
  typeOf(headers: IncomingHttpHeaders): string | undefined;
  /** The body of the response; undefined, or rejected, where the full pipeline is needed. */
  execute(params: GraphQLParams, loaders: Loaders): Promise<string | undefined> | undefined;
  /** How many operations it has executed. */
  readonly operations: number;
}

export interface FastPathOptions {
  schema: GraphQLSchema;
  input: Input;
  phases: readonly Phase[];
  findDocument: FindDocument;
  compiler: Compiler;
  responseLimits: ResponseLimits;
}

export function createFastPath(options: FastPathOptions): FastPath {
  const { schema, input, phases, findDocument, compiler, responseLimits } = options;
  const checks = {
    headers: phases.flatMap(({ passesHeaders }) => passesHeaders ?? []),
    operation: phases.flatMap(({ passesOperation }) => passesOperation ?? []),
    result: phases.flatMap(({ passesResult }) => passesResult ?? []),
  };
  let operations = 0;

  async function executeCompiled(
    operation: CompiledOperation,
    { variableValues }: ExecutionArgs,
    loaders: Loaders,
  ): Promise<string | undefined> {
    const context = { input, loaders, response: new ResponseBudget(responseLimits) };
    const result = await operation(context, variableValues);
    if (result.errors || !checks.result.every((passes) => passes(result, context))) return undefined;
    operations += 1;
    return JSON.stringify(result);
  }

  return {
    typeOf(headers) {
      return checks.headers.every((passes) => passes(headers)) ? completeTypeOf(headers.accept) : undefined;
    },
    execute(params, loaders) {
      const document = areWellTyped(params) ? findDocument(params) : undefined;
      const { operationName, variables } = params;
      const operation = document && compiler.get(document, operationName);
      if (!operation) return undefined;
      const args = { schema, document, operationName, variableValues: variables };
      const isUnchanged = checks.operation.every((passes) => passes(args));
      return isUnchanged ? executeCompiled(operation, args, loaders) : undefined;
    },
    get operations() {
      return operations;
    },
  };
}

/** Whether the parameters have the types of GraphQL over HTTP, 4.1. */
function areWellTyped({ operationName, variables, extensions }: GraphQLParams): boolean {
  const isNamed = operationName == null || (typeof operationName === 'string' && operationName !== '');
  return isNamed && isObjectOrNothing(variables) && isObjectOrNothing(extensions);
}

function isObjectOrNothing(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}
