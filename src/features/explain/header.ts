import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Phase } from '../../operation/types.ts';
import { badRequest } from '../../schema/errors.ts';

/** The header field of a request for a plan, a report or `Server-Timing`. */
export const explainField = 'x-explain';

export const isPlan = (headers: IncomingHttpHeaders): boolean => headers[explainField] === 'plan';

const words: readonly unknown[] = ['plan', 'report', 'timing'];

/** Rejects a request with another value of `x-explain`. An empty field counts as absent. */
export const explainHeader: Phase = {
  onParams({ request, context }) {
    const word = request.headers.get(explainField);
    if (word && !words.includes(word))
      throw badRequest('The header x-explain must be "plan", "report" or "timing".', 400);
    if (word && word !== 'plan') context.streamRejection = notForStreams();
  },
  headerFields: [explainField],
};

/** The streams of equal live queries share their polls, which outlive the request. */
export function notForStreams(): GraphQLError {
  return badRequest('A live query takes no x-max-calls, and no x-explain but x-explain: plan.', 400);
}
