import { onTestFinished, vi } from 'vitest';

/** Sets the system's clock of this process forward or back until the test ends; monotonic time goes on as it did. */
export function stepClock(seconds: number): void {
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
  onTestFinished(() => clock.mockRestore());
}

/** Sets monotonic time forward, until the test ends. */
export function passTime(seconds: number): void {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + seconds * 1000);
  onTestFinished(() => clock.mockRestore());
}
