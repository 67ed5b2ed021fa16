/**
 * Runs `step` on every iteration of the event loop until it returns false. A timer would be up to a millisecond late, which
 * is more than some of the measured differences.
 */
export function busyPoll(step: () => boolean): void {
  const iterate = () => {
    if (step()) setImmediate(iterate);
  };
  setImmediate(iterate);
}
