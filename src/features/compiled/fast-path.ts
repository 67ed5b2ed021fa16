import type { PipelineCore } from '../../composition.ts';
import type { Lane } from '../../http/lanes.ts';
import type { Gauge } from '../../observers/gauges.ts';
import { completeTypeOf } from '../../operation/accept.ts';
import { isMissing } from '../../rest/call.ts';
import type { UpstreamCall } from '../../rest/caller.ts';
import { ResponseBudget } from '../../schema/response-budget.ts';
import type { Compiler } from './compiler.ts';

/** For a new document: most longer responses exceed a limit, and the work of writing them would be lost. */
const MAX_UNSEEN_BYTES = 1_048_576;

/**
 * Executes operations compiled and without the server's plugins. Its response is, byte for byte, that of the full
 * pipeline, to which it passes every operation with an error, a REST call that failed, or a response over a limit.
 */
export function createFastPath(core: PipelineCore, compiler: Compiler) {
  const { input, findDocument, maxResponseBytes } = core;
  let operations = 0;

  const lane: Lane = (request, params, next) => {
    const { calls } = request;
    const type = completeTypeOf(request.req.headers.accept ?? '*/*');
    const known = type === undefined ? undefined : findDocument(params, request);
    const found =
      known && compiler.find(known.document, params.operationName, params.variables, known.isKept);
    if (type === undefined || !found) return next();
    const response = new ResponseBudget(core);
    const context = { input, loaders: calls, response };
    calls.merges = found.merges;
    const maxBytes = known.isKept ? maxResponseBytes : Math.min(maxResponseBytes, MAX_UNSEEN_BYTES);
    found.execute(context, found.variables, maxBytes, (text) => {
      const isComplete = text !== undefined && !response.isExceeded && calls.ended.every(hasSucceeded);
      found.onExecuted(isComplete);
      if (!isComplete) {
        calls.merges = true;
        return next();
      }
      operations += 1;
      request.send(type, text);
    });
  };

  return {
    lane,
    gauge: {
      name: 'portico_fast_path_operations_total',
      help: 'Operations executed on the fast path',
      read: () => operations,
    } satisfies Gauge,
  };
}

/** Any other outcome may decide the status or the extensions of the response. */
function hasSucceeded({ status, source }: UpstreamCall): boolean {
  return (status === 200 || isMissing(status)) && source !== 'stale';
}
