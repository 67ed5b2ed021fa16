/** A worker that ran for so long has not failed to start. */
const steadyMs = 10_000;
const firstMs = 250;
const maxMs = 30_000;

/**
 * Returns the delay before a restart, from the uptime of the worker that exited: 0, unless workers exit early repeatedly;
 * then exponential, up to 30 s.
 */
export function createBackoff(): (uptimeMs: number) => number {
  let youngExits = 0;
  return (uptimeMs) => {
    youngExits = uptimeMs < steadyMs ? youngExits + 1 : 0;
    return youngExits < 2 ? 0 : Math.min(maxMs, firstMs * 2 ** (youngExits - 2));
  };
}
