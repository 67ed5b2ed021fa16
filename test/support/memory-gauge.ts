import { existsSync, readdirSync, readlinkSync } from 'node:fs';

/** Preloaded into a gateway: answers each message with what the process holds when its garbage is collected. */
export interface Reading {
  heapBytes: number;
  /** What keeps the event loop alive, counted by kind. */
  resources: Record<string, number>;
  /** Sockets that are open, as the system counts them; 0 where it does not tell. */
  sockets: number;
  /** Listeners of the process itself. */
  listeners: number;
}

declare const gc: () => void;

const descriptors = '/proc/self/fd';

process.on('message', () => {
  gc();
  gc();
  process.send?.({
    heapBytes: process.memoryUsage().heapUsed,
    resources: counted(process.getActiveResourcesInfo()),
    sockets: existsSync(descriptors) ? readdirSync(descriptors).filter(isSocket).length : 0,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  } satisfies Reading);
});

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function isSocket(name: string): boolean {
  try {
    return readlinkSync(`${descriptors}/${name}`).startsWith('socket:');
  } catch {
    // It is the one that the folder was read with.
    return false;
  }
}
