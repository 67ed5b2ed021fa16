import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { expectNoSentKey } from './canary.ts';
import { root } from './files.ts';

const dist = join(root, 'dist');

/** The compiled form of a file of `src`, as it is shipped. */
export const programPath = (file: string): string => join(dist, file.replace(/\.ts$/, '.js'));

/** The output of a gateway without configuration, or of the reference, that contains the demo keys. */
const invitation = /^demo keys?: .+\ncurl .+$/m;

/** Runs a file of `src` in a process, an empty folder and an empty environment; `execArgv`: of Node. */
export async function startProcess(
  file: string,
  env: Record<string, string> = {},
  args: string[] = [],
  execArgv: string[] = [],
) {
  const cwd = await mkdtemp(join(tmpdir(), 'portico-'));
  const child = fork(programPath(file), args, {
    cwd,
    execArgv,
    env: { PATH: process.env.PATH ?? '', ...env },
    silent: true,
  }) as ChildProcess & { stdout: Readable; stderr: Readable };
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

  async function found(pattern: RegExp, stream: Readable, output: () => string): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(output());
      if (match) return match;
      const ended = await Promise.race([once(stream, 'data').then(() => false), exited.then(() => true)]);
      if (ended) throw new Error(`ended before it printed ${pattern}: ${stdout}${stderr}`);
    }
  }

  return {
    child,
    /** Settles when its output matches `pattern`; rejects when the process ends first. */
    printed: (pattern: RegExp) => found(pattern, child.stdout, () => stdout),
    /** The same for its error output. */
    complained: (pattern: RegExp) => found(pattern, child.stderr, () => stderr),
    async exit(): Promise<{ code: number | null; stdout: string; stderr: string }> {
      const [code] = (await exited) as [number | null];
      return { code, stdout, stderr };
    },
    /** Its exit code, and its error output: messages from level `warn` on, and lines that are no log. */
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
