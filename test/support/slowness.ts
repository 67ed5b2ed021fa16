/** CPU time of `work` on the machine for which the limits of CPU time in the tests were chosen. */
const NOMINAL_MS = 20;

/** How many times slower this machine is than that one now, at least 1: multiplies limits of CPU time. */
export function measureSlowness(): number {
  const times = Array.from({ length: 3 }, () => {
    const cpuMs = startCpuTime();
    work();
    return cpuMs();
  });
  return Math.max(1, Math.min(...times) / NOMINAL_MS);
}

/**
 * Whether so much CPU time is within a limit on this machine. How slow it is takes as long to measure as many
 * requests, and is measured only if that decides.
 */
export const isWithinCpuTime = (cpuMs: number, limitMs: number): boolean =>
  cpuMs < limitMs || cpuMs < limitMs * measureSlowness();

/** Returns what reads the CPU time of this process from now on, in milliseconds. */
export function startCpuTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

function work(): void {
  let value: unknown = Array.from({ length: 1_000 }, (_, n) => ({
    id: `SITE-${n}`,
    zip: n,
    clients: [{ n }],
  }));
  for (let n = 0; n < 30; n += 1) value = JSON.parse(JSON.stringify(value));
}
