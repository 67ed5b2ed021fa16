import { onTestFinished, vi } from 'vitest';

const monotonicNow = performance.now.bind(performance);
let passedMs = 0;

/** Advances monotonic time until the test ends. */
export function passTime(seconds: number): void {
  passedMs += seconds * 1000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => monotonicNow() + passedMs);
  onTestFinished(() => {
    passedMs = 0;
    clock.mockRestore();
  });
}
