import type { IncomingHttpHeaders } from 'node:http';
import type { PipelineCore } from '../../composition.ts';
import type { Phase, RequestContext } from '../../operation/types.ts';
import { badRequest, operationTooExpensive } from '../../schema/errors.ts';
import { notForStreams } from './header.ts';
import { planOfRequest } from './plan.ts';

/** The header field of a request with its own limit of REST calls. */
export const maxCallsField = 'x-max-calls';

const isLimit = (word: unknown): boolean => typeof word === 'string' && /^[1-9]\d*$/.test(word);

/** The number of REST calls that a request allows; undefined if the field is absent, empty or invalid. */
export function maxCallsOf({ [maxCallsField]: word }: IncomingHttpHeaders): number | undefined {
  return isLimit(word) ? Number(word) : undefined;
}

/** Rejects a request with another value of `x-max-calls`. An empty field counts as absent. */
export const maxCallsHeader: Phase = {
  onParams({ request, context }) {
    const limit = request.headers.get(maxCallsField);
    if (!limit) return;
    if (!isLimit(limit))
      throw badRequest('The header x-max-calls must be a whole number from 1 on: x-max-calls: 3.', 400);
    context.streamRejection = notForStreams();
  },
  headerFields: [maxCallsField],
};

/** Rejects an operation, before its first REST call, whose plan has more calls than its request allows. */
export function callLimit(operations: PipelineCore): Phase {
  const isLower = (limit = Infinity) => limit < operations.maxUpstreamCalls;
  return {
    onExecute({ args }) {
      const { calls } = args.contextValue as Partial<RequestContext>;
      const { exceeded } = (isLower(calls?.budget.limit) && planOfRequest(args, operations)) || {};
      if (!exceeded) return;
      const { message, field: _, ...numbers } = exceeded;
      throw operationTooExpensive(message, numbers);
    },
  };
}
