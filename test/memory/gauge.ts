/** Preloaded into a gateway: answers each message with what the process holds when its garbage is collected. */
export interface Reading {
  heapBytes: number;
  /** What keeps the event loop alive, counted by kind. */
  resources: Record<string, number>;
  /** Listeners of the process itself. */
  listeners: number;
}

declare const gc: () => void;

process.on('message', () => {
  gc();
  gc();
  process.send?.({
    heapBytes: process.memoryUsage().heapUsed,
    resources: counted(process.getActiveResourcesInfo()),
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  } satisfies Reading);
});

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
