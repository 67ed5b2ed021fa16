import { incrementalFormatOf, narrowAccept, typeIn } from '../../operation/accept.ts';
import { isIncremental } from '../../operation/parts.ts';
import type { Phase } from '../../operation/types.ts';

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
