import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLParams } from 'graphql-yoga';
import type { Gauge } from '../gauges.ts';
import type { Input } from '../input.ts';
import type { OperationCalls } from '../loaders.ts';
import { ResponseBudget, type ResponseLimits } from '../schema/response-budget.ts';
import type { Compiler } from './compiler.ts';
import type { FindDocument } from './document.ts';
import { areWellTyped, completeTypeOf } from './request.ts';
import type { Phase, RequestObserver, StartExtensions } from './types.ts';

/** The part of a response that the header fields of its request decide. */
interface FastResponse {
  /** Its media type. */
  type: string;
  /** What phases add to it; undefined: nothing. */
  starts: readonly StartExtensions[] | undefined;
}

interface FastPathOptions {
  input: Input;
  phases: readonly Phase[];
  findDocument: FindDocument;
  compiler: Compiler;
  responseLimits: ResponseLimits;
  /** Maximum size of a response. */
  maxBytes: number;
}

/**
 * Where a document comes for the first time, a longer response is left to the full pipeline: most that are as
 * long exceed a limit, and the work of writing them would be lost.
 */
const MAX_UNSEEN_BYTES = 1_048_576;

/**
 * Executes operations compiled and without the server's plugins. Its response is, byte
 * for byte, the one of the full pipeline. An operation that any phase would reject or change takes the full
 * pipeline, which makes no REST call twice.
 */
export function createFastPath(options: FastPathOptions) {
  const { input, phases, findDocument, compiler, responseLimits, maxBytes } = options;
  const headerChecks = phases.flatMap(({ passesHeaders }) => passesHeaders ?? []);
  const resultChecks = phases.flatMap(({ passesResult }) => passesResult ?? []);
  const extensions = phases.flatMap(({ extensionsFor }) => extensionsFor ?? []);
  let operations = 0;

  function startsFor(headers: IncomingHttpHeaders): StartExtensions[] | undefined {
    let starts: StartExtensions[] | undefined;
    for (const extensionsFor of extensions) {
      const start = extensionsFor(headers);
      if (start) starts = [...(starts ?? []), start];
    }
    return starts;
  }

  return {
    /** The response to a POST with these header fields; undefined where the full pipeline is needed. */
    responseTo(headers: IncomingHttpHeaders): FastResponse | undefined {
      if (!headerChecks.every((passes) => passes(headers))) return undefined;
      const type = completeTypeOf(headers.accept);
      return type === undefined ? undefined : { type, starts: startsFor(headers) };
    },

    /** Calls `onBody` once, with the response body, or undefined where the full pipeline is needed. */
    execute(
      params: GraphQLParams,
      calls: OperationCalls,
      { starts }: FastResponse,
      observer: RequestObserver | undefined,
      onBody: (body: string | undefined) => void,
    ) {
      const added = starts?.map((start) => start(calls));
      const known = areWellTyped(params) ? findDocument(params, observer) : undefined;
      const { operationName, variables } = params;
      const found = known && compiler.find(known.document, operationName, variables, known.isKept);
      if (!found) return onBody(undefined);
      const response = new ResponseBudget(responseLimits);
      const context = { input, loaders: calls.loaders(found.merges), response };
      const mostBytes = known.isKept ? maxBytes : Math.min(maxBytes, MAX_UNSEEN_BYTES);
      found.execute(context, found.variables, mostBytes, (text) => {
        const isUnchanged = text !== undefined && resultChecks.every((passes) => passes(calls, response));
        const unchanged = isUnchanged ? text : undefined;
        const body = unchanged && added ? withExtensions(unchanged, added, maxBytes) : unchanged;
        found.onExecuted(body !== undefined);
        if (body !== undefined) operations += 1;
        onBody(body);
      });
    },

    /** How many operations it has executed. */
    gauge: {
      name: 'portico_fast_path_operations_total',
      help: 'Operations executed on the fast path',
      read: () => operations,
    } satisfies Gauge,
  };
}

/** The response with what is added to it; undefined where that exceeds `maxBytes`. */
function withExtensions(
  text: string,
  added: readonly (() => object)[],
  maxBytes: number,
): string | undefined {
  const extensions = JSON.stringify(Object.assign({}, ...added.map((extensionsOf) => extensionsOf())));
  const body = `${text.slice(0, -1)},"extensions":${extensions}}`;
  return Buffer.byteLength(body) <= maxBytes ? body : undefined;
}
