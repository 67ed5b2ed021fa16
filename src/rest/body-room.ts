/** Smaller bodies need no room: on 128 connections they have 32 MiB. */
export const LARGE_BODY_BYTES = 262_144;

/** The bytes of large bodies that are read or held by operations, over all of them (docs/sizing.md). */
const BODY_ROOM_BYTES = 67_108_864;

/** A place in the room for one large body. */
export interface BodyPlace {
  readonly isAdmitted: boolean;
  /** Keeps the size of the body that was read, which may be less than it had to expect. */
  shrinkTo(bytes: number): void;
  /** Gives the bytes back, or leaves the queue; may be called again. */
  release(): void;
}

interface Waiting {
  readonly keyHash: string;
  bytes: number;
  readonly onAdmitted: () => void;
  isAdmitted: boolean;
}

export type BodyRoom = ReturnType<typeof createBodyRoom>;

/**
 * Limits the bytes of large bodies, from their first bytes to the end of their operation, which holds the parsed
 * values. A body for which there is no room waits, and its call fails at the deadline. One key takes at most half of
 * the room, unless a single body of it needs more.
 */
export function createBodyRoom(maxBodyBytes: number, limit = BODY_ROOM_BYTES) {
  const capacity = Math.max(limit, maxBodyBytes);
  const ofKeys = new Map<string, number>();
  let used = 0;
  let queue: Waiting[] = [];

  function fits({ keyHash, bytes }: Waiting): boolean {
    const ofKey = ofKeys.get(keyHash) ?? 0;
    return used + bytes <= capacity && (ofKey === 0 || ofKey + bytes <= capacity / 2);
  }

  function take(one: Waiting): void {
    one.isAdmitted = true;
    used += one.bytes;
    ofKeys.set(one.keyHash, (ofKeys.get(one.keyHash) ?? 0) + one.bytes);
  }

  function giveBack(one: Waiting, bytes: number): void {
    const { keyHash } = one;
    one.bytes -= bytes;
    used -= bytes;
    const ofKey = (ofKeys.get(keyHash) ?? 0) - bytes;
    if (ofKey > 0) ofKeys.set(keyHash, ofKey);
    else ofKeys.delete(keyHash);
    const waiting = queue;
    queue = [];
    for (const next of waiting) {
      if (!fits(next)) queue.push(next);
      else {
        take(next);
        next.onAdmitted();
      }
    }
  }

  return {
    /** How many bytes are taken. */
    get used() {
      return used;
    },
    /** Takes the declared size of a body, or else the largest one; `onAdmitted` is called if it has to wait. */
    enter(keyHash: string, declaredBytes: number | undefined, onAdmitted: () => void): BodyPlace {
      const bytes = Math.min(declaredBytes ?? maxBodyBytes, maxBodyBytes);
      const one: Waiting = { keyHash, bytes, onAdmitted, isAdmitted: false };
      if (fits(one)) take(one);
      else queue.push(one);
      let isReleased = false;
      return {
        get isAdmitted() {
          return one.isAdmitted;
        },
        shrinkTo(size) {
          if (one.isAdmitted && !isReleased) giveBack(one, Math.max(one.bytes - size, 0));
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          if (one.isAdmitted) giveBack(one, one.bytes);
          else queue = queue.filter((other) => other !== one);
        },
      };
    },
  };
}
