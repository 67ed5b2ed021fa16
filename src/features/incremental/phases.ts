import { incrementalFormatOf, narrowAccept, typeIn } from '../../operation/accept.ts';
import {
  type IncrementalResult,
  isIncremental,
  mapEach,
  mapEntries,
  withoutMarks,
} from '../../operation/results.ts';
import type { Phase } from '../../operation/types.ts';
import type { ErrorMask } from '../../schema/error-mask.ts';

/**
 * Has the server send parts as the media type that the client names for them. The server alone would choose
 * by any range that matches, a wildcard too. A response in v0.2 says so.
 */
export const incrementalFormat: Phase = {
  onExecutionResult({ request, result }) {
    const format = incrementalFormatOf(request.headers.get('accept'));
    if (result && isIncremental(result) && format) narrowAccept(request, typeIn(format.spec, format.type));
  },
  onResponse({ request, response: { headers } }) {
    const format = incrementalFormatOf(request.headers.get('accept'));
    const type = headers.get('content-type');
    if (format && type?.startsWith(format.type)) headers.set('content-type', typeIn(format.spec, type));
  },
};

/** Masks the errors of later parts: the server masks those of the first part only. */
export function maskedIncremental(mask: ErrorMask): Phase {
  const masked = ({ errors, ...part }: IncrementalResult): IncrementalResult =>
    errors
      ? { ...part, errors: errors.map((error) => withoutMarks(mask(error, 'Unexpected error.'))) }
      : part;
  return {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (!isIncremental(result)) return;
        setResult(mapEach(result, (part: IncrementalResult) => mapEntries(part, masked)));
      },
    }),
  };
}
