/** Preloaded into a gateway process: replies to each message, the name of a reading, with it. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { measureSlowness } from './slowness.ts';

export interface Readings {
  usage: {
    /** CPU time since the start, user and system. */
    cpuMs: number;
    /** The largest resident set so far. */
    peakBytes: number;
  };
  /** After a full garbage collection: needs `--expose-gc`. */
  memory: {
    heapBytes: number;
    /** The active resources of the event loop, counted by kind. */
    resources: Record<string, number>;
    /** Open sockets as Linux counts them; 0 on other systems. */
    sockets: number;
    listeners: number;
  };
  /** How long the event loop was blocked, each time that it was blocked for too long, in milliseconds. */
  stalls: number[];
}

const MEASURE_EVERY_MS = 10;
/** The documented limit of CPU time before a document is executed or rejected. */
const LONGEST_STALL_MS = 200 * measureSlowness();
const descriptors = '/proc/self/fd';

declare const gc: () => void;

const stalls: number[] = [];
let last: { at: number; cpu: NodeJS.CpuUsage } | undefined;

const readers: { [Name in keyof Readings]: () => Readings[Name] } = {
  usage() {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 };
  },
  memory() {
    gc();
    gc();
    return {
      heapBytes: process.memoryUsage().heapUsed,
      resources: countsOf(process.getActiveResourcesInfo()),
      sockets: existsSync(descriptors) ? readdirSync(descriptors).filter(isSocket).length : 0,
      listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    };
  },
  stalls() {
    if (!last) setInterval(measureStall, MEASURE_EVERY_MS).unref();
    measureStall();
    return stalls;
  },
};

process.on('message', (what: keyof Readings) => process.send?.(readers[what]()));

/** The lesser of wall-clock and CPU time: a busy machine stretches the former only. */
function measureStall(): void {
  const { user, system } = process.cpuUsage(last?.cpu);
  const stall = last ? Math.min(performance.now() - last.at, (user + system) / 1000) : 0;
  if (stall > LONGEST_STALL_MS) stalls.push(Math.round(stall));
  last = { at: performance.now(), cpu: process.cpuUsage() };
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function isSocket(name: string): boolean {
  try {
    return readlinkSync(`${descriptors}/${name}`).startsWith('socket:');
  } catch {
    // The descriptor that the folder was read with is closed by now.
    return false;
  }
}
