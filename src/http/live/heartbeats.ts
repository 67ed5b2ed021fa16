/** Calls back every so often, until it is removed. */
export interface Heartbeats {
  add(onBeat: () => void): () => void;
}

const SLOTS = 12;
const SLOT_MS = 1000;

/** One beat in twelve seconds, on one timer: a twelfth of the streams every second. */
export function createHeartbeats(): Heartbeats {
  const slots = Array.from({ length: SLOTS }, () => new Set<() => void>());
  let size = 0;
  let next = 0;
  let timer: NodeJS.Timeout | undefined;

  function beat(): void {
    next = (next + 1) % SLOTS;
    for (const onBeat of slots[next] ?? []) onBeat();
  }

  return {
    add(onBeat) {
      const slot = slots.reduce((least, one) => (one.size < least.size ? one : least));
      slot.add(onBeat);
      size += 1;
      timer ??= setInterval(beat, SLOT_MS).unref();
      return () => {
        if (!slot.delete(onBeat)) return;
        size -= 1;
        if (size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
