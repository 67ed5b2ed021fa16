import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** A program and its arguments. */
export type Command = [file: string, ...args: string[]];

const count = availableParallelism();

/** True if contenders can have the first core for themselves. */
export const canPin = count > 1 && spawnSync('taskset', ['--version']).status === 0;

/** The command, pinned to the first core: the one of the contenders. */
export function onFirstCore(command: Command): Command {
  return canPin ? ['taskset', '-c', '0', ...command] : command;
}

/** The command, on every core: this process has left the first one. */
export function onAllCores(command: Command): Command {
  return canPin ? ['taskset', '-c', `0-${count - 1}`, ...command] : command;
}

/** The command, pinned to the other cores: those of the load generator and the upstream. */
export function offFirstCore(command: Command): Command {
  return canPin ? ['taskset', '-c', otherCores(), ...command] : command;
}

/** Moves this process to the other cores. */
export function leaveFirstCore(): void {
  if (canPin) spawnSync('taskset', ['-acp', otherCores(), String(process.pid)]);
}

function otherCores(): string {
  return `1-${count - 1}`;
}
