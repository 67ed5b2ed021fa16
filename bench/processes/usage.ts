import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** CPU nanoseconds of each thread of a process and its descendants, by thread id. */
export type Usage = ReadonlyMap<string, number>;

export interface Memory {
  rssMb: number;
  /** The most that each process has held, summed. */
  peakMb: number;
}

/** True if this system reports CPU time in nanoseconds: Linux does. */
export const isUsageKnown = existsSync('/proc/self/schedstat');

/** Reads the CPU time of every thread of the process and its descendants. */
export function usageOf(pid: number): Usage {
  const threads = new Map<string, number>();
  for (const member of processTree(pid)) {
    for (const thread of listThreads(member)) {
      const [cpuNs = ''] = readProc(`${member}/task/${thread}/schedstat`).split(' ');
      threads.set(thread, Number(cpuNs));
    }
  }
  return threads;
}

/**
 * CPU microseconds between two readings. The CPU time that a thread used between the first reading and its exit is lost; it
 * never makes the difference negative.
 */
export function cpuBetween(before: Usage, after: Usage): number {
  let ns = 0;
  for (const [thread, cpuNs] of after) ns += Math.max(0, cpuNs - (before.get(thread) ?? 0));
  return ns / 1000;
}

/** Reads the memory of the process and its descendants. */
export function memoryOf(pid: number): Memory {
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
