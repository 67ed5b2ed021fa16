import { onTestFinished, vi } from 'vitest';

/** Moves the system clock of this process until the test ends; monotonic time is unaffected. */
export function stepClock(seconds: number): void {
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
  onTestFinished(() => clock.mockRestore());
}

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
