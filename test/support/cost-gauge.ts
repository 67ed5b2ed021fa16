/** Preloaded into a gateway: answers each message with what the process has used so far. */
export interface Usage {
  cpuMs: number;
  /** The most memory that it has held. */
  peakBytes: number;
}

process.on('message', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.send?.({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 } satisfies Usage);
});
