/** One request in the window of its key. */
export interface Consumed {
  /** The requests in this window so far, this one included. */
  used: number;
  /** Milliseconds until the window ends. */
  leftMs: number;
}

export interface Windows {
  consume(name: string): Consumed;
}

/**
 * Counts in the memory of this process. A window begins with its first request and lasts `windowMs` of monotonic time,
 * so a step of the system's clock makes none longer or shorter.
 */
export function createWindows(windowMs: number): Windows {
  // In the order of their ends: all are equally long. Only the names of existing keys get in.
  const windows = new Map<string, { used: number; endsAtMs: number }>();

  function begin(name: string, nowMs: number) {
    for (const [ended, { endsAtMs }] of windows) {
      if (endsAtMs > nowMs) break;
      windows.delete(ended);
    }
    const window = { used: 0, endsAtMs: nowMs + windowMs };
    windows.set(name, window);
    return window;
  }

  return {
    consume(name) {
      const nowMs = performance.now();
      const last = windows.get(name);
      const window = last && last.endsAtMs > nowMs ? last : begin(name, nowMs);
      window.used += 1;
      return { used: window.used, leftMs: window.endsAtMs - nowMs };
    },
  };
}
