import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { ErrorMask } from '../../errors.ts';
import { incrementalFormat } from './format.ts';
import { maskedIncremental } from './masked.ts';

/**
 * Incremental delivery: responses in parts, by `@defer` and `@stream`, to clients that accept them. Without it
 * the directives are unknown, and each response is complete.
 */
export function incrementalDelivery({ mask }: { mask: ErrorMask }) {
  return {
    /** Defines both directives, and validates their use. */
    directives: useDeferStream() as object,
    masked: maskedIncremental(mask),
    format: incrementalFormat,
  };
}
