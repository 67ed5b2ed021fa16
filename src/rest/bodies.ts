export const noBytes: Buffer = Buffer.alloc(0);

/**
 * The first `size` bytes of a body, and after them a chunk. A chunk that is the whole body is taken as it is; others
 * are copied into one growing buffer, because a chunk of one byte can retain a buffer many times its size.
 * `expected`: the size of the whole body, if it is known.
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
 * Limits the bytes of large bodies, from their first bytes to the end of their operation, which holds the parsed
 * values. A body for which there is no room waits, and its call fails at the deadline. One key takes at most half of
 * the room, unless a single body of it needs more.
 */
export class BodyRoom {
  /** How many bytes are taken. */
  used = 0;
  readonly #maxBodyBytes: number;
  readonly #capacity: number;
  readonly #ofKeys = new Map<string, number>();
  #waiting: BodyPlace[] = [];

  constructor(maxBodyBytes: number, limit: number) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#capacity = Math.max(limit, maxBodyBytes);
  }

  /** Takes the declared size of a body, or else the largest one; `onAdmitted` is called if it has to wait. */
  enter(keyHash: string, declaredBytes: number | undefined, onAdmitted: () => void): BodyPlace {
    const bytes = Math.min(declaredBytes ?? this.#maxBodyBytes, this.#maxBodyBytes);
    const shrinkTo = (bytes: number) => this.#shrink(place, bytes);
    const place: BodyPlace = { keyHash, bytes, onAdmitted, shrinkTo, isAdmitted: false };
    if (!this.#admit(place)) this.#waiting.push(place);
    return place;
  }

  /** One that waits leaves the queue. */
  #shrink(place: BodyPlace, bytes: number): void {
    const excess = place.bytes - bytes;
    if (excess <= 0) return;
    place.bytes = bytes;
    if (place.isAdmitted) this.#count(place.keyHash, -excess);
    const waiting = this.#waiting.filter((other) => other !== place);
    const admitted = waiting.filter((next) => this.#admit(next));
    this.#waiting = waiting.filter((next) => !next.isAdmitted);
    for (const next of admitted) next.onAdmitted();
  }

  /** Takes the bytes of a place if they fit. */
  #admit(place: BodyPlace): boolean {
    const { keyHash, bytes } = place;
    const ofKey = this.#ofKeys.get(keyHash) ?? 0;
    const fits = this.used + bytes <= this.#capacity && (ofKey === 0 || ofKey + bytes <= this.#capacity / 2);
    if (fits) this.#count(keyHash, bytes);
    place.isAdmitted = fits;
    return fits;
  }

  #count(keyHash: string, bytes: number): void {
    this.used += bytes;
    const ofKey = (this.#ofKeys.get(keyHash) ?? 0) + bytes;
    if (ofKey > 0) this.#ofKeys.set(keyHash, ofKey);
    else this.#ofKeys.delete(keyHash);
  }
}

/** A place in the room for one large body. */
export interface BodyPlace {
  readonly keyHash: string;
  isAdmitted: boolean;
  bytes: number;
  onAdmitted(): void;
  /** Keeps the size of the body that was read, which may be less than it had to expect; 0 ends the place. */
  shrinkTo(bytes: number): void;
}
