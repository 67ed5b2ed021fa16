import { mapParts } from '../../operation/results.ts';
import type { Phase } from '../../operation/types.ts';

/**
 * Lists stale data in `extensions.stale`: the path of each REST call that failed and was answered from the
 * cache, with the age in whole seconds. In a response in parts the last part has the list.
 */
export const staleData: Phase = {
  onExecutionResult({ result, setResult, context: { calls } }) {
    if (!result || !calls) return;
    setResult(
      mapParts(result, (part) => {
        const stale = calls.ended
          .filter(({ source }) => source === 'stale')
          .map(({ path, ageMs = 0 }) => ({ path, ageSeconds: Math.round(ageMs / 1000) }));
        const isMarked = part.hasNext !== true && stale.length > 0;
        return isMarked ? { ...part, extensions: { ...part.extensions, stale } } : part;
      }),
    );
  },
};
