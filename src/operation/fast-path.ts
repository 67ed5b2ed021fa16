import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLParams } from 'graphql-yoga';
import type { Input } from '../input.ts';
import type { Loaders } from '../loaders.ts';
import { ResponseBudget, type ResponseLimits } from '../schema/response-budget.ts';
import type { FindDocument } from './document/find-document.ts';
import type { Compiler } from './execution/compiler.ts';
import { isReported } from './explain/phases.ts';
import { reportOf } from './explain/report.ts';
import { completeTypeOf } from './response/accept.ts';
import type { Phase } from './types.ts';

/**
 * Executes the operations that came before, compiled and without the server's plugins. Its response is, byte for byte, the one of
 * the full pipeline. An operation that any phase would refuse or change takes the full pipeline, which reads from the same
 * loaders and so makes no REST call twice.
 */
export interface FastPath {
  /** The response to a POST with these header fields; undefined where the full pipeline is needed. */
  responseTo(headers: IncomingHttpHeaders): FastResponse | undefined;
  /** Calls `onBody` once, with the body of the response; with undefined where the full pipeline is needed. */
  execute(
    params: GraphQLParams,
    loaders: Loaders,
    response: FastResponse,
    onBody: (body: string | undefined) => void,
  ): void;
  /** How many operations it has executed. */
  readonly operations: number;
}

/** What the header fields of a request decide of its response. */
export interface FastResponse {
  /** Its media type. */
  type: string;
  /** Whether it reports its REST calls. */
  hasReport: boolean;
}

export interface FastPathOptions {
  input: Input;
  phases: readonly Phase[];
  findDocument: FindDocument;
  compiler: Compiler;
  responseLimits: ResponseLimits;
  /** Maximum size of a response. */
  maxBytes: number;
}

export function createFastPath(options: FastPathOptions): FastPath {
  const { input, phases, findDocument, compiler, responseLimits, maxBytes } = options;
  const headerChecks = phases.flatMap(({ passesHeaders }) => passesHeaders ?? []);
  const resultChecks = phases.flatMap(({ passesResult }) => passesResult ?? []);
  let operations = 0;

  return {
    responseTo(headers) {
      const type = headerChecks.every((passes) => passes(headers))
        ? completeTypeOf(headers.accept)
        : undefined;
      return type === undefined ? undefined : { type, hasReport: isReported(headers['x-explain']) };
    },
    execute(params, loaders, { hasReport }, onBody) {
      if (hasReport) loaders.record();
      const document = areWellTyped(params) ? findDocument(params) : undefined;
      const found = document && compiler.find(document, params.operationName, params.variables);
      if (!found) return onBody(undefined);
      const context = { input, loaders, response: new ResponseBudget(responseLimits) };
      found.execute(context, found.variables, maxBytes, (text) => {
        const isUnchanged = text !== undefined && resultChecks.every((passes) => passes(context));
        const response = isUnchanged ? text : undefined;
        const body = response && hasReport ? withReport(response, loaders, maxBytes) : response;
        found.onExecuted(body !== undefined);
        if (body !== undefined) operations += 1;
        // The full pipeline starts from the same loaders.
        else loaders.mergesTick = true;
        onBody(body);
      });
    },
    get operations() {
      return operations;
    },
  };
}

/** The response with the report of its REST calls; undefined where that exceeds `maxBytes`. */
function withReport(text: string, loaders: Loaders, maxBytes: number): string | undefined {
  const extensions = JSON.stringify({ upstream: reportOf(loaders) });
  const body = `${text.slice(0, -1)},"extensions":${extensions}}`;
  return Buffer.byteLength(body) <= maxBytes ? body : undefined;
}

/** Whether the parameters have the types of GraphQL over HTTP, 4.1. The server refuses others. */
export function areWellTyped({ operationName, variables, extensions }: GraphQLParams): boolean {
  const isNamed = operationName == null || (typeof operationName === 'string' && operationName !== '');
  return isNamed && isObjectOrNothing(variables) && isObjectOrNothing(extensions);
}

function isObjectOrNothing(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}
