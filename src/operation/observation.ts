import type { ExecutionResult } from 'graphql';
import { entriesOf, type IncrementalResult, mapParts, type Result } from './results.ts';
import type { Phase } from './types.ts';

/** Passes the outcome of each result on to the observer of its request. */
export const observation: Phase = {
  onResultProcess({ result, setResult, serverContext: { observer } }) {
    if (!observer) return;
    const record = (part: IncrementalResult): IncrementalResult => {
      for (const one of [part, ...entriesOf(part)]) observer.onResult(codesOf(one), one.data != null);
      return part;
    };
    setResult(mapParts(result as Result, record));
  },
};

export function codesOf({ errors = [] }: ExecutionResult): string[] {
  return errors.map(({ extensions: { code } }) =>
    typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR',
  );
}
