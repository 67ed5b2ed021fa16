import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { ErrorMask } from '../../schema/error-mask.ts';
import { incrementalExecution } from './execution.ts';
import { incrementalFormat, maskedIncremental } from './phases.ts';

export { partsFormatOf } from './deferral.ts';

/** Responses in parts. Without this feature both directives (`schema/directives.ts`) are ignored. */
export function incrementalDelivery({ mask }: { mask: ErrorMask }) {
  return {
    /** Validates the use of both directives. */
    directives: useDeferStream() as object,
    execution: incrementalExecution,
    masked: maskedIncremental(mask),
    format: incrementalFormat,
  };
}
