import type { PipelineCore } from '../../composition.ts';
import { badRequest, operationTooExpensive } from '../../errors.ts';
import { operationInfoOf } from '../../operation/fields.ts';
import type { Phase, RequestContext } from '../../operation/types.ts';
import { type Plan, planOf, planOfRequest } from './plan.ts';

/**
 * Rejects an operation, before its first REST call, whose plan has more calls than its request allows, where that
 * is fewer than the setting. Calls that only the data decide are counted by the budget of the operation.
 */
export function callLimit(operations: PipelineCore): Phase {
  const isLower = (limit: number | undefined): limit is number =>
    limit !== undefined && limit < operations.maxUpstreamCalls;
  return {
    onParams({ context }) {
      if (!isLower(context.calls?.budget.limit)) return;
      const cause = 'A live query takes no x-max-calls, because streams of one key share their polls';
      context.streamRejection = badRequest(`${cause}: leave the header out.`, 400);
    },
    onExecute({ args }) {
      const { calls } = args.contextValue as Partial<RequestContext>;
      if (isLower(calls?.budget.limit)) rejectExcess(planOfRequest(args, operations));
    },
    checkOf: (operation) => (variables, limit) => {
      if (!isLower(limit)) return;
      const options = { ...operations, maxUpstreamCalls: limit };
      rejectExcess(planOf(operationInfoOf(operation, variables), options));
    },
  };
}

/** With the sentence and the numbers of the plan. */
function rejectExcess(plan: Plan | undefined): void {
  if (!plan?.exceeded) return;
  const { message, field: _, ...numbers } = plan.exceeded;
  throw operationTooExpensive(message, numbers);
}
