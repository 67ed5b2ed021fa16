import {
  type IncrementalResult,
  isIncremental,
  mapEach,
  mapEntries,
  withoutMarks,
} from '../../operation/parts.ts';
import type { Phase } from '../../operation/types.ts';
import type { ErrorMask } from '../../schema/errors.ts';

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
