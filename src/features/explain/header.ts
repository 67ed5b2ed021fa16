import { badRequest } from '../../errors.ts';
import type { Phase } from '../../operation/types.ts';

/** The header field of a request for a plan or a report. */
export const explainField = 'x-explain';

type Word = string | string[] | null | undefined;

export const isPlan = (word: Word): boolean => word === 'plan';
export const isReport = (word: Word): boolean => word === 'report';

/** Rejects a request with another `x-explain` than `plan` and `report`. An empty field counts as absent. */
export const explainHeader: Phase = {
  onParams({ request }) {
    const word = request.headers.get(explainField);
    if (word && !isPlan(word) && !isReport(word))
      throw badRequest('The header x-explain must be "plan" or "report".', 400);
  },
  // The fast path reports as well.
  passesHeaders: (headers) => !headers[explainField] || isReport(headers[explainField]),
};
