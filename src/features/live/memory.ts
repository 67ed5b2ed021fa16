import type { GraphQLError } from 'graphql';
import { UpstreamPollLimit } from '../../rest/errors.ts';
import { failedRequest, overloaded } from '../../schema/errors.ts';

/** The share of the limit that one key may keep. */
const SHARE = 1 / 2;

/** The bytes that all live queries keep: the bodies of polls, results and operations. */
export interface Memory {
  used: number;
  readonly limit: number;
}

/** The bytes that the live queries of one key keep. */
export class KeyMemory {
  #used = 0;
  readonly #limit: number;
  readonly #total: Memory;

  constructor(total: Memory) {
    this.#limit = Math.floor(total.limit * SHARE);
    this.#total = total;
  }

  /** Replaces `before` bytes by `after`. Beyond a limit it changes nothing, and returns the error. */
  replace(before: number, after: number): GraphQLError | undefined {
    const growth = after - before;
    if (growth > 0 && this.#used + growth > this.#limit)
      return failedRequest(422, new UpstreamPollLimit(this.#limit, 'bytes'));
    if (growth > 0 && this.#total.used + growth > this.#total.limit) return overloaded();
    this.#total.used += growth;
    this.#used += growth;
    return undefined;
  }
}
