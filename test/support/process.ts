import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { expectNoSentKey } from './canary.ts';

const src = resolve(import.meta.dirname, '../../src');

/** Has the demo key, for whoever tries the gateway out. */
const invitation = /^demo key: \S+\ncurl .+$/m;

/** Runs a file of `src` as a process of its own, in an empty folder and without this process's settings. */
export async function startProcess(file: string, env: Record<string, string> = {}, args: string[] = []) {
  const cwd = await mkdtemp(join(tmpdir(), 'portico-'));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), join(src, file), ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const exited = once(child, 'exit');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(cwd, { recursive: true });
    const origins = stdout.match(/http:\/\/[\w.:]+/g) ?? [];
    expectNoSentKey(`${stdout.replace(invitation, '')}${stderr}`, origins);
  });

  async function found(pattern: RegExp, stream: Readable, said: () => string): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(said());
      if (match) return match;
      const ended = await Promise.race([once(stream, 'data').then(() => false), exited.then(() => true)]);
      if (ended) throw new Error(`ended before it printed ${pattern}: ${stdout}${stderr}`);
    }
  }

  return {
    pid: child.pid ?? 0,
    /** What it has printed once that holds `pattern`; fails when the process ends first. */
    printed: (pattern: RegExp) => found(pattern, child.stdout, () => stdout),
    /** The same of its error output. */
    complained: (pattern: RegExp) => found(pattern, child.stderr, () => stderr),
    async exit(): Promise<{ code: number | null; stdout: string; stderr: string }> {
      const [code] = (await exited) as [number | null];
      return { code, stdout, stderr };
    },
    /** How it has ended, and the messages of its log from `warn` on: what is no line of the log is one itself. */
    async end(): Promise<{ code: number | null; complaints: string[] }> {
      const [code] = (await exited) as [number | null];
      return { code, complaints: stderr.split('\n').flatMap(complaintOf) };
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

function complaintOf(line: string): string[] {
  if (!line.startsWith('{')) return line === '' ? [] : [line];
  const { level, msg }: { level: string; msg: string } = JSON.parse(line);
  return ['warn', 'error', 'fatal'].includes(level) ? [msg] : [];
}
