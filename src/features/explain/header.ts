import { badRequest } from '../../errors.ts';
import type { Phase } from '../../operation/types.ts';
import { isReported } from './report.ts';

/** Rejects a request with another `x-explain` than `plan` and `report`. An empty field counts as absent. */
export const explainHeader: Phase = {
  onParams({ request }) {
    const word = request.headers.get('x-explain');
    if (word && word !== 'plan' && !isReported(word)) {
      throw badRequest('The header x-explain must be "plan" or "report".', 400);
    }
  },
  // The fast path reports as well.
  passesHeaders: (headers) => !headers['x-explain'] || isReported(headers['x-explain']),
};
