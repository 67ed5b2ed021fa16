import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** The reference in a process of its own, with this environment and these arguments. */
export function run(env: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
  return runNode(env, '--import', 'tsx', 'src/reference/main.ts', ...args);
}

/** The text of a module in a process of its own, in which it can import from here on. */
export function runScript(databaseUrl: string, text: string): ChildProcess {
  return runNode(
    { REFERENCE_DATABASE_URL: databaseUrl },
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    text,
  );
}

/** Node in a process of its own, which ends with the test. */
export function runNode(env: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
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

export async function failureOf(child: ChildProcess): Promise<{ code: number; heard: string }> {
  const { code, errors } = await endOf(child);
  return { code, heard: errors };
}

/** How a process ends, and all that it printed until then. */
export async function endOf(child: ChildProcess): Promise<{ code: number; output: string; errors: string }> {
  const heard = { output: '', errors: '' };
  child.stdout?.on('data', (chunk) => {
    heard.output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    heard.errors += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, ...heard };
}
