import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What a process and all that it started have used. */
export interface Usage {
  /** Microseconds of processor time so far, of user and system. */
  cpuUs: number;
  /** The most memory that each has held, in MB, added up. */
  peakMb: number;
  /** Milliseconds for which its main thread could have run, but the core had other threads to run. */
  waitedMs: number;
}

/** Whether the system tells: only Linux does. */
export const isUsageKnown = process.platform === 'linux';

/** Reads what the process and its descendants have used; not numbers where the system does not tell. */
export function usageOf(pid: number): Usage {
  if (!isUsageKnown) return { cpuUs: Number.NaN, peakMb: Number.NaN, waitedMs: Number.NaN };
  return treeOf(pid).reduce(
    (sum, member) => ({
      cpuUs: sum.cpuUs + cpuUsOf(member),
      peakMb: sum.peakMb + peakMbOf(member),
      waitedMs: sum.waitedMs,
    }),
    { cpuUs: 0, peakMb: 0, waitedMs: waitedMsOf(pid) },
  );
}

/** How much of the time between the two it waited for the core; null where the system does not tell. */
export function shareWaited(before: Usage, after: Usage, seconds: number): number | null {
  const share = (after.waitedMs - before.waitedMs) / (seconds * 1000);
  return Number.isNaN(share) ? null : share;
}

function treeOf(root: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((pid) => [Number(pid), Number(statOf(Number(pid))[1])]));
  const tree = [root];
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid);
  }
  return tree;
}

/** Own time, and that of children which have ended: fields 14 to 17. */
function cpuUsOf(pid: number): number {
  const ticks = statOf(pid)
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1_000_000) / TICKS_PER_SECOND;
}

function peakMbOf(pid: number): number {
  return (Number(/VmHWM:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) * 1024) / 1_000_000;
}

function waitedMsOf(pid: number): number {
  return Number(readProc(pid, 'schedstat').split(' ')[1] ?? Number.NaN) / 1_000_000;
}

/** The fields after the name, which may hold blanks: from the third, the state, on. */
function statOf(pid: number): string[] {
  const text = readProc(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Empty for a process that has ended meanwhile. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
