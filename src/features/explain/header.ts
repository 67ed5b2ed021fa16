import type { IncomingHttpHeaders } from 'node:http';
import type { Phase } from '../../operation/types.ts';
import { badRequest } from '../../schema/errors.ts';

/** The header field of a request for a plan, a report or `Server-Timing`. */
export const explainField = 'x-explain';

export const isPlan = (headers: IncomingHttpHeaders): boolean => headers[explainField] === 'plan';

/** The header field of a request with its own limit of REST calls. */
export const maxCallsField = 'x-max-calls';

const words: readonly unknown[] = ['plan', 'report', 'timing'];
const isLimit = (word: unknown): boolean => typeof word === 'string' && /^[1-9]\d*$/.test(word);

/** The number of REST calls that a request allows; undefined if the field is absent, empty or invalid. */
export function maxCallsOf({ [maxCallsField]: word }: IncomingHttpHeaders): number | undefined {
  return isLimit(word) ? Number(word) : undefined;
}

/** Rejects a request with another value of `x-explain` or `x-max-calls`. An empty field counts as absent. */
export const explainHeader: Phase = {
  onParams({ request, context }) {
    const word = request.headers.get(explainField);
    if (word && !words.includes(word))
      throw badRequest('The header x-explain must be "plan", "report" or "timing".', 400);
    const limit = request.headers.get(maxCallsField);
    if (limit && !isLimit(limit))
      throw badRequest('The header x-max-calls must be a whole number from 1 on: x-max-calls: 3.', 400);
    // Its streams share their polls, which outlive the request.
    const message = 'A live query takes no x-max-calls, and no x-explain but x-explain: plan.';
    if (limit || (word && word !== 'plan')) context.streamRejection = badRequest(message, 400);
  },
  headerFields: [explainField, maxCallsField],
};
