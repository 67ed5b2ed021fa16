export interface Count {
  /** Requests in the window so far, including this one. */
  used: number;
  /** Milliseconds until the window ends. */
  leftMs: number;
}

/**
 * Counts requests per name in the memory of this process. A window begins with its first request and lasts
 * `windowMs` of monotonic time, so changes of the system clock do not affect it.
 */
export function createMemoryCounter(windowMs: number): { consume(name: string): Count } {
  // Ordered by end, because all windows have the same length. Bounded: only names of existing keys are
  // counted.
  const windows = new Map<string, { used: number; endsAtMs: number }>();

  function open(name: string, nowMs: number) {
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
      const window = last && last.endsAtMs > nowMs ? last : open(name, nowMs);
      window.used += 1;
      return { used: window.used, leftMs: window.endsAtMs - nowMs };
    },
  };
}
