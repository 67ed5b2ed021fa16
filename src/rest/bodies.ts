export const noBytes: Buffer = Buffer.alloc(0);

/**
 * The first `size` bytes of a body, and a chunk. A chunk that is the whole body is taken as it is; others are copied
 * into one growing buffer, because a small chunk can retain a large one. `expected`: the size of the whole, if known.
 */
export function appended(body: Buffer, size: number, chunk: Buffer, expected = 0): Buffer {
  if (size === 0 && chunk.length >= expected) return chunk;
  const needed = size + chunk.length;
  const whole = needed > body.length ? Buffer.allocUnsafeSlow(Math.max(2 * size, needed, expected)) : body;
  if (whole !== body) body.copy(whole, 0, 0, size);
  chunk.copy(whole, size);
  return whole;
}

/** Smaller bodies need no room: on 128 connections they have 32 MiB. */
export const LARGE_BODY_BYTES = 262_144;

/**
 * Limits the bytes of large bodies, from when they are large to the end of their operation, which holds the parsed
 * values. One key takes at most half of them, unless a single body of it needs more.
 */
export class BodyRoom {
  used = 0;
  /** The bodies that wait for room, the first one first. */
  readonly waiting = new Set<{ takeRoom(): void }>();
  readonly #capacity: number;
  readonly #ofKeys = new Map<string, number>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Takes room for a body of this key; false if it does not fit. */
  take(keyHash: string, bytes: number): boolean {
    const ofKey = this.#ofKeys.get(keyHash) ?? 0;
    const fits = this.used + bytes <= this.#capacity && (ofKey === 0 || ofKey + bytes <= this.#capacity / 2);
    if (fits) this.#count(keyHash, bytes);
    return fits;
  }

  giveBack(keyHash: string, bytes: number): void {
    this.#count(keyHash, -bytes);
    for (const body of this.waiting) body.takeRoom();
  }

  #count(keyHash: string, bytes: number): void {
    this.used += bytes;
    const ofKey = (this.#ofKeys.get(keyHash) ?? 0) + bytes;
    if (ofKey > 0) this.#ofKeys.set(keyHash, ofKey);
    else this.#ofKeys.delete(keyHash);
  }
}
