/**
 * Runs `step` again and again, between whatever else the process does, for as long as it says that there is more. A timer
 * would be up to a millisecond late, which is more than some of what is measured.
 */
export function spin(step: () => boolean): void {
  const turn = () => {
    if (step()) setImmediate(turn);
  };
  setImmediate(turn);
}
