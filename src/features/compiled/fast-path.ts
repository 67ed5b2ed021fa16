import type { IncomingHttpHeaders } from 'node:http';
import type { PipelineCore } from '../../composition.ts';
import type { Gauge } from '../../gauges.ts';
import type { Lane, Take } from '../../http/lanes.ts';
import { completeTypeOf, wholeTypes } from '../../operation/accept.ts';
import type { Phase, StartExtensions } from '../../operation/types.ts';
import { ResponseBudget } from '../../schema/response-budget.ts';
import type { Compiler } from './compiler.ts';

/** For a new document: most longer responses exceed a limit, and the work of writing them would be lost. */
const MAX_UNSEEN_BYTES = 1_048_576;

/**
 * Executes operations compiled and without the server's plugins. Its response is, byte
 * for byte, the one of the full pipeline. An operation that any phase would reject or change takes the full
 * pipeline, which makes no REST call twice.
 */
export function createFastPath(core: PipelineCore, compiler: Compiler) {
  const { input, findDocument, responseLimits, maxResponseBytes: maxBytes } = core;
  let ofPhases: Checks | undefined;
  /** What all phases check, once they are created. */
  const checks = () => {
    ofPhases ??= checksOf(core.phases());
    return ofPhases;
  };
  let operations = 0;

  /** `type`: the media type of the response; `starts`: what phases add to it. */
  const takerOf =
    (type: string, starts?: readonly StartExtensions[]): Take =>
    (params, request, calls) => {
      const added = starts?.map((start) => start(calls));
      const known = findDocument(params, request);
      const { operationName, variables } = params;
      const { limit } = calls.budget;
      const found = known && compiler.find(known.document, operationName, variables, known.isKept, limit);
      if (!found) return request.next();
      const response = new ResponseBudget(responseLimits);
      const context = { input, loaders: calls.loaders(found.merges), response };
      const mostBytes = known.isKept ? maxBytes : Math.min(maxBytes, MAX_UNSEEN_BYTES);
      found.execute(context, found.variables, mostBytes, (text) => {
        const isUnchanged = text !== undefined && checks().results.every((passes) => passes(calls, response));
        const unchanged = isUnchanged ? text : undefined;
        const body = unchanged && added ? withExtensions(unchanged, added, maxBytes) : unchanged;
        found.onExecuted(body !== undefined);
        if (body === undefined) return request.next();
        operations += 1;
        request.send(type, body);
      });
    };
  const takers = new Map(wholeTypes.map((type) => [type, takerOf(type)]));

  return {
    lane: {
      accept(headers) {
        if (!checks().headers.every((passes) => passes(headers))) return undefined;
        const type = completeTypeOf(headers.accept ?? '*/*');
        if (type === undefined) return undefined;
        const starts = checks().startsFor(headers);
        return starts.length > 0 ? takerOf(type, starts) : takers.get(type);
      },
    } satisfies Lane,

    /** How many operations it has executed. */
    gauge: {
      name: 'portico_fast_path_operations_total',
      help: 'Operations executed on the fast path',
      read: () => operations,
    } satisfies Gauge,
  };
}

type Checks = ReturnType<typeof checksOf>;

function checksOf(phases: readonly Phase[]) {
  const extensions = phases.flatMap(({ extensionsFor }) => extensionsFor ?? []);

  function startsFor(headers: IncomingHttpHeaders): readonly StartExtensions[] {
    let starts: readonly StartExtensions[] = none;
    for (const extensionsFor of extensions) {
      const start = extensionsFor(headers);
      if (start) starts = [...starts, start];
    }
    return starts;
  }

  return {
    headers: phases.flatMap(({ passesHeaders }) => passesHeaders ?? []),
    results: phases.flatMap(({ passesResult }) => passesResult ?? []),
    startsFor,
  };
}

const none: readonly never[] = [];

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
