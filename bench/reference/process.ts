import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { inProject } from '../contenders/places.ts';

const SERVER = inProject('dist/reference/main.js');
const TICKS_PER_SECOND = 100;

export interface Running {
  url: URL;
  /** Microseconds of processor time so far; not a number where the system does not say. */
  cpuUs(): number;
  /** The most memory it has held, in MiB. */
  peakMiB(): number;
  stop(): Promise<void>;
}

/** Whether the server and who asks it can each have a core of their own. */
export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Puts this process on the second core. */
export function stepAside(): void {
  if (isPinned) spawnSync('taskset', ['-acp', '1', String(process.pid)]);
}

/** Starts the built reference on the first core, with these settings. */
export async function startServer(env: Record<string, string>): Promise<Running> {
  const child = launch([], env);
  const [line] = await once(createInterface({ input: child.stdout ?? process.stdin }), 'line');
  const url = new URL(String(line).replace('reference ready at ', ''));
  return {
    url,
    cpuUs() {
      const text = readProc(child, 'stat');
      // After the name, which may hold blanks: state is field 3, user and system time are 14 and 15.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS_PER_SECOND;
    },
    peakMiB: () => Number(/VmHWM:\s+(\d+)/.exec(readProc(child, 'status'))?.[1]) / 1024,
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** Loads a file into the database of these settings. */
export async function importFile(path: string, env: Record<string, string>): Promise<void> {
  const child = launch(['import', path], env);
  child.stdout?.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`import ended with ${code}`);
}

function launch(more: string[], env: Record<string, string>): ChildProcess {
  const command = [...(isPinned ? ['taskset', '-c', '0'] : []), process.execPath, SERVER, ...more];
  const [file = process.execPath, ...args] = command;
  const path = process.env.PATH ?? '';
  return spawn(file, args, { env: { PATH: path, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
}

function readProc(child: ChildProcess, file: string): string {
  return process.platform === 'linux' ? readFileSync(`/proc/${child.pid}/${file}`, 'utf8') : '';
}
