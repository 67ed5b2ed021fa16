import type { Plugin } from 'graphql-yoga';
import type { ErrorMask } from '../../errors.ts';
import type { Phase } from '../types.ts';
import { withoutMarks } from './error-locations.ts';
import { type IncrementalResult, isIncremental, mapResults } from './incremental.ts';

/** Masks the errors of later parts: the server masks those of the first part only. */
export function maskedIncremental(mask: ErrorMask): Phase {
  return { plugins: [useMaskedIncremental(mask)] };
}

function useMaskedIncremental(mask: ErrorMask): Plugin {
  return {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (isIncremental(result)) setResult(mapResults(result, (part) => masked(part, mask)));
      },
    }),
  };
}

function masked(part: IncrementalResult, mask: ErrorMask): IncrementalResult {
  if (!part.incremental) return part;
  const withMask = ({ errors, ...later }: IncrementalResult): IncrementalResult =>
    errors
      ? { ...later, errors: errors.map((error) => withoutMarks(mask(error, 'Unexpected error.'))) }
      : later;
  return { ...part, incremental: part.incremental.map(withMask) };
}
