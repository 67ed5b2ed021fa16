import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { ErrorMask } from '../../errors.ts';
import { isDeferred } from '../../operation/execute.ts';
import type { Phase, RequestContext } from '../../operation/types.ts';
import { incrementalFormat } from './format.ts';
import { maskedIncremental } from './masked.ts';

/** Has an operation executed in parts whose client accepts them. */
const deferred: Phase = {
  onExecute({ args: { document, contextValue } }) {
    const isInParts = isDeferred(document, contextValue.request.headers.get('accept'));
    if (isInParts) Object.assign(contextValue, { isInParts } satisfies Partial<RequestContext>);
  },
};

/**
 * Responses in parts (`@defer`, `@stream`). The public contract defines both directives (`schema/directives.ts`);
 * without this feature they are ignored.
 */
export function incrementalDelivery({ mask }: { mask: ErrorMask }) {
  return {
    /** Validates the use of both directives. */
    directives: useDeferStream() as object,
    /** Comes before the execution. */
    deferred,
    masked: maskedIncremental(mask),
    format: incrementalFormat,
  };
}
