import type { Plugin } from 'graphql-yoga';
import type { ErrorMask } from '../errors.ts';
import { withoutMarks } from './error-locations.ts';
import { isInParts, mapParts, type Part } from './parts.ts';

/** Masks the errors of later parts: the server itself masks those of the first alone. */
export function useMaskedParts(mask: ErrorMask): Plugin {
  return {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (isInParts(result)) setResult(mapParts(result, (part) => masked(part, mask)));
      },
    }),
  };
}

function masked(part: Part, mask: ErrorMask): Part {
  if (!part.incremental) return part;
  const withMask = ({ errors, ...later }: Part): Part =>
    errors
      ? { ...later, errors: errors.map((error) => withoutMarks(mask(error, 'Unexpected error.'))) }
      : later;
  return { ...part, incremental: part.incremental.map(withMask) };
}
