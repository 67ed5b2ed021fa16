import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** A program and what it is given. */
export type Command = [file: string, ...args: string[]];

const count = availableParallelism();

/** Whether processes can be held to cores of their own. */
export const canPin = count > 1 && spawnSync('taskset', ['--version']).status === 0;

/** The command held to the first `cores` cores. */
export function pinnedFirst(command: Command, cores: number): Command {
  return canPin ? ['taskset', '-c', `0-${cores - 1}`, ...command] : command;
}

/** The command kept off the first `taken` cores. */
export function pinnedAfter(command: Command, taken: number): Command {
  return canPin ? ['taskset', '-c', coresAfter(taken), ...command] : command;
}

/** Keeps a running process off the first `taken` cores. */
export function keepOff(pid: number, taken: number): void {
  if (canPin) spawnSync('taskset', ['-acp', coresAfter(taken), String(pid)]);
}

/** Whether there are so many cores. */
export function hasCores(taken: number): boolean {
  return taken === 1 || (canPin && taken <= count);
}

/** Whether so many cores leave none for who asks, who then shares them. */
export function sharesCores(taken: number): boolean {
  return canPin && taken >= count;
}

function coresAfter(taken: number): string {
  return `${taken < count ? taken : 0}-${count - 1}`;
}
