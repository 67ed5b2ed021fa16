import type { PipelineCore } from '../../composition.ts';
import type { Phase, RequestContext } from '../../operation/types.ts';
import { badRequest, operationTooExpensive } from '../../schema/errors.ts';
import { maxCallsField } from './header.ts';
import { planOfRequest } from './plan.ts';

/**
 * Rejects an operation, before its first REST call, whose plan has more calls than its request allows, if that
 * is fewer than the setting. Calls that only the data decide are counted by the budget of the operation.
 */
export function callLimit(operations: PipelineCore): Phase {
  const isLower = (limit = Infinity) => limit < operations.maxUpstreamCalls;
  return {
    onParams({ context, request }) {
      if (!request.headers.get(maxCallsField)) return;
      const cause = 'A live query takes no x-max-calls, because streams of one key share their polls';
      context.streamRejection = badRequest(`${cause}: leave the header out.`, 400);
    },
    onExecute({ args }) {
      const { calls } = args.contextValue as Partial<RequestContext>;
      const { exceeded } = (isLower(calls?.budget.limit) && planOfRequest(args, operations)) || {};
      if (!exceeded) return;
      const { message, field: _, ...numbers } = exceeded;
      throw operationTooExpensive(message, numbers);
    },
  };
}
