import type { Gauge } from '../../gauges.ts';
import type { Lane, Taker } from '../../http/lanes.ts';
import type { Input } from '../../input.ts';
import type { OperationCalls } from '../../loaders.ts';
import type { FindDocument } from '../../operation/document.ts';
import { recorderOf } from '../../operation/explain/recorder.ts';
import { reportOf } from '../../operation/explain/report.ts';
import { areWellTyped, completeTypeOf, isReported, wholeTypes } from '../../operation/request.ts';
import type { Phase } from '../../operation/types.ts';
import { ResponseBudget, type ResponseLimits } from '../../schema/response-budget.ts';
import type { Compiler } from './compiler.ts';

interface FastPathOptions {
  input: Input;
  phases(): readonly Phase[];
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
  const { input, findDocument, compiler, responseLimits, maxBytes } = options;
  let known: Checks | undefined;
  /** What all phases check, once they are created. */
  const checks = () => {
    known ??= checksOf(options.phases());
    return known;
  };
  let operations = 0;

  /** `type`: the media type of the response; `hasReport`: whether it reports its REST calls. */
  const takerOf = (type: string, hasReport: boolean): Taker => ({
    take(params, request) {
      const { calls, observer } = request;
      if (hasReport) recorderOf(calls);
      const known = areWellTyped(params) ? findDocument(params, observer) : undefined;
      const { operationName, variables } = params;
      const found = known && compiler.find(known.document, operationName, variables, known.isKept);
      if (!found) return request.next();
      const response = new ResponseBudget(responseLimits);
      const context = { input, loaders: calls.loaders(found.merges), response };
      const mostBytes = known.isKept ? maxBytes : Math.min(maxBytes, MAX_UNSEEN_BYTES);
      found.execute(context, found.variables, mostBytes, (text) => {
        const isUnchanged = text !== undefined && checks().results.every((passes) => passes(calls, response));
        const unchanged = isUnchanged ? text : undefined;
        const body = unchanged && hasReport ? withReport(unchanged, calls, maxBytes) : unchanged;
        found.onExecuted(body !== undefined);
        if (body === undefined) return request.next();
        operations += 1;
        request.send(type, body);
      });
    },
  });
  const takers = new Map(
    wholeTypes.map((type) => [type, { plain: takerOf(type, false), reported: takerOf(type, true) }]),
  );

  return {
    lane: {
      accept(headers) {
        if (!checks().headers.every((passes) => passes(headers))) return undefined;
        const taker = takers.get(completeTypeOf(headers.accept) ?? '');
        return isReported(headers['x-explain']) ? taker?.reported : taker?.plain;
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
  return {
    headers: phases.flatMap(({ passesHeaders }) => passesHeaders ?? []),
    results: phases.flatMap(({ passesResult }) => passesResult ?? []),
  };
}

/** The response with the report of its REST calls; undefined where that exceeds `maxBytes`. */
function withReport(text: string, calls: OperationCalls, maxBytes: number): string | undefined {
  const extensions = JSON.stringify({ upstream: reportOf(calls) });
  const body = `${text.slice(0, -1)},"extensions":${extensions}}`;
  return Buffer.byteLength(body) <= maxBytes ? body : undefined;
}
