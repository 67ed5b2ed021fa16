import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { ErrorMask } from '../../errors.ts';
import { incrementalFormat } from './format.ts';
import { maskedIncremental } from './masked.ts';

/**
 * What responses in parts (`@defer`, `@stream`) need beside their execution. The public contract defines both
 * directives (`schema/directives.ts`), and `operation/execute.ts` decides which client gets parts.
 */
export function incrementalDelivery({ mask }: { mask: ErrorMask }) {
  return {
    /** Validates the use of both directives. */
    directives: useDeferStream() as object,
    masked: maskedIncremental(mask),
    format: incrementalFormat,
  };
}
