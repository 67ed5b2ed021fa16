import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Starts the reference in its own process, by default without a request log. It is killed after the test. */
export function run(env: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['dist/reference/main.js', ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The first `count` lines that a process prints. */
export async function linesOf(child: ChildProcess, count: number): Promise<string[]> {
  const lines: string[] = [];
  if (!child.stdout) return lines;
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === count) break;
  }
  return lines;
}

/** The address of a reference, once it is ready. */
export async function urlOf(child: ChildProcess): Promise<{ url: string }> {
  const [ready = ''] = await linesOf(child, 1);
  return { url: ready.replace('reference ready at ', '') };
}

export interface Outcome {
  code: number;
  output: string;
  errors: string;
}

/** The exit code of a process and everything it prints. */
export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const printed = { output: '', errors: '' };
  child.stdout?.on('data', (chunk) => {
    printed.output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    printed.errors += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, ...printed };
}
