/** How much of the limit one key may keep. */
const SHARE = 1 / 2;

/** The memory of one key. */
export interface KeyMemory {
  /** How many bytes the key may keep, while the others leave so much. */
  readonly limit: number;
  /** Replaces `before` bytes by `after`. Changes nothing, and returns false, where they grow beyond a limit. */
  replace(before: number, after: number): boolean;
}

/** Bytes that live queries keep: up to a limit in all, and a share of it for each key. */
export class MemoryLimit {
  used = 0;
  readonly #limit: number;
  readonly #limitOfKey: number;
  /** By the digest of the key. */
  readonly #usedByKey = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
    this.#limitOfKey = Math.floor(limit * SHARE);
  }

  ofKey(keyHash: string): KeyMemory {
    return {
      limit: this.#limitOfKey,
      replace: (before, after) => this.#replace(keyHash, after - before),
    };
  }

  #replace(keyHash: string, growth: number): boolean {
    const used = this.used + growth;
    const usedByKey = (this.#usedByKey.get(keyHash) ?? 0) + growth;
    if (growth > 0 && (used > this.#limit || usedByKey > this.#limitOfKey)) return false;
    this.used = used;
    if (usedByKey > 0) this.#usedByKey.set(keyHash, usedByKey);
    else this.#usedByKey.delete(keyHash);
    return true;
  }
}
