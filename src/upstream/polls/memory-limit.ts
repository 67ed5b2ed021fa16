/** How much of the limit one key may keep. */
const SHARE = 1 / 2;

/** The memory of one key. */
export interface KeyMemory {
  /** How many bytes the key may keep, while the others leave so much. */
  readonly limit: number;
  /** Replaces `before` bytes by `after`. Changes nothing, and returns false, where they grow beyond a limit. */
  replace(before: number, after: number): boolean;
  /** Whether the key itself keeps too much for `growth` more bytes, whatever the others keep. */
  isFullFor(growth: number): boolean;
}

/** What decoded JSON takes in memory, in bytes: an estimate, for most resources about twice as much. */
export function bytesOf(json: unknown): number {
  let bytes = 0;
  // Not recursive: JSON may be nested as deep as its length allows.
  const rest = [json];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') bytes += 24 + value.length * (beyondLatin1.test(value) ? 2 : 1);
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    // Many names need a hash table.
    const bytesPerValue = inner.length > 128 && !Array.isArray(value) ? 64 : 16;
    bytes += 64 + bytesPerValue * inner.length;
    for (const one of inner) rest.push(one);
  }
  return bytes;
}

const beyondLatin1 = /[^\0-\xff]/;

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
      isFullFor: (growth) => (this.#usedByKey.get(keyHash) ?? 0) + growth > this.#limitOfKey,
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
