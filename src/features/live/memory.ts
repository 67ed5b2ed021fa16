import type { GraphQLError } from 'graphql';
import { operationTooExpensive, overloaded } from '../../schema/errors.ts';

/** The counts of all live queries together, as the metrics show them. */
export interface LiveCounts {
  /** REST calls that polls sent. */
  calls: number;
  /** Results, once for each stream. */
  events: number;
  /** The memory of bodies, results and operations. */
  bytes: number;
}

/** The share of the limit that one key may keep. */
const SHARE = 1 / 2;

/** The bytes that the live queries of one key keep. */
export class KeyMemory {
  #used = 0;
  readonly #counts: LiveCounts;
  readonly #maxBytes: number;

  constructor(counts: LiveCounts, maxBytes: number) {
    this.#counts = counts;
    this.#maxBytes = maxBytes;
  }

  /** Replaces `before` bytes by `after`. Beyond a limit it changes nothing, and returns the error. */
  replace(before: number, after: number): GraphQLError | undefined {
    const growth = after - before;
    const limit = Math.floor(this.#maxBytes * SHARE);
    if (growth > 0 && this.#used + growth > limit) {
      const message = `There is no memory for more live queries: those of one key may keep ${limit} bytes.`;
      return operationTooExpensive(`${message} Close some of them, or retry later.`, { limit });
    }
    if (growth > 0 && this.#counts.bytes + growth > this.#maxBytes) return overloaded();
    this.#counts.bytes += growth;
    this.#used += growth;
    return undefined;
  }
}
