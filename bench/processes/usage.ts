import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What a process and its descendants have used since they started. */
export interface Usage {
  /** CPU nanoseconds of each thread, by thread id. */
  threads: ReadonlyMap<string, number>;
  /** Nanoseconds in which the first thread was runnable, but the core ran other threads. */
  waitedNs: number;
}

export interface Memory {
  rssMb: number;
  /** The most that each process has held, summed. */
  peakMb: number;
}

/** Whether this system reports CPU time in nanoseconds: Linux does. */
export const isUsageKnown = existsSync('/proc/self/schedstat');

/** Reads the CPU time of every thread of the process and its descendants. */
export function usageOf(pid: number): Usage {
  const threads = new Map<string, number>();
  let waitedNs = 0;
  if (!isUsageKnown) return { threads, waitedNs };
  for (const member of processTree(pid)) {
    for (const thread of listThreads(member)) {
      const [cpuNs = '', runnableNs = ''] = readProc(`${member}/task/${thread}/schedstat`).split(' ');
      threads.set(thread, Number(cpuNs));
      if (Number(thread) === pid) waitedNs = Number(runnableNs);
    }
  }
  return { threads, waitedNs };
}

/**
 * CPU microseconds between two readings; null if the system does not report them. What a thread used between the first
 * reading and its exit is lost; it never makes the difference negative.
 */
export function cpuBetween(before: Usage, after: Usage): number | null {
  if (!isUsageKnown) return null;
  let ns = 0;
  for (const [thread, cpuNs] of after.threads) ns += Math.max(0, cpuNs - (before.threads.get(thread) ?? 0));
  return ns / 1000;
}

/** The share of a time for which the first thread waited for its core. */
export function waitShareBetween(before: Usage, after: Usage, seconds: number): number | null {
  return isUsageKnown ? (after.waitedNs - before.waitedNs) / (seconds * 1e9) : null;
}

/** Reads the memory of the process and its descendants; null if the system does not report it. */
export function memoryOf(pid: number): Memory | null {
  if (!isUsageKnown) return null;
  const memory = { rssMb: 0, peakMb: 0 };
  for (const member of processTree(pid)) {
    const status = readProc(`${member}/status`);
    memory.rssMb += megabytes(status, 'VmRSS');
    memory.peakMb += megabytes(status, 'VmHWM');
  }
  return memory;
}

function megabytes(status: string, field: string): number {
  return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024) / 1_000_000;
}

function processTree(root: number): number[] {
  const tree = [root];
  for (const member of tree) {
    for (const thread of listThreads(member)) {
      const children = readProc(`${member}/task/${thread}/children`).trim();
      if (children !== '') tree.push(...children.split(' ').map(Number));
    }
  }
  return tree;
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty for a thread or process that has exited. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}
