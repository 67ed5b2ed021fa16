import { isIncremental } from '../../operation/parts.ts';
import { incrementalTypeOf, narrowAccept } from '../../operation/request.ts';
import type { Phase } from '../../operation/types.ts';

/**
 * Has the server send parts as the media type that the client names for them. The server alone would choose
 * by any range that matches, a wildcard too.
 */
export const incrementalFormat: Phase = {
  onExecutionResult({ request, result }) {
    if (!result || !isIncremental(result)) return;
    narrowAccept(request, incrementalTypeOf(request.headers.get('accept')));
  },
};
