/** Bytes that several holders keep, up to a limit. */
export class MemoryLimit {
  readonly limit: number;
  used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Replaces `before` bytes by `after`. Changes nothing, and returns false, where they grow beyond the limit. */
  replace(before: number, after: number): boolean {
    const used = this.used - before + after;
    if (after > before && used > this.limit) return false;
    this.used = used;
    return true;
  }
}
