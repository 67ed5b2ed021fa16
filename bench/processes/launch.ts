import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from './cores.ts';

const SHUTDOWN_TIMEOUT_MS = 5_000;
const running = new Set<ChildProcess>();

// No child outlives the run, however it ends.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Starts a command, which ends with this process. If its standard error is a pipe, it is copied, without empty lines. */
export function launch([file, ...args]: Command, options: SpawnOptions): ChildProcess {
  const child = spawn(file, args, options);
  running.add(child);
  child.once('close', () => running.delete(child));
  if (child.stderr) createInterface(child.stderr).on('line', (line) => line.trim() && console.error(line));
  return child;
}

/** Sends SIGTERM, and SIGKILL after a timeout. */
export async function end(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), SHUTDOWN_TIMEOUT_MS);
  await closed;
  clearTimeout(timer);
}
