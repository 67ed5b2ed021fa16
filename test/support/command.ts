import { invocationFrom } from '../../src/command/arguments.ts';
import type { Found } from '../../src/command/command.ts';
import { commands, composition } from '../../src/features.ts';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

interface Surroundings {
  /** The whole environment, beside PATH. */
  env?: Record<string, string>;
  cwd?: string;
}

/**
 * Runs a command of `portico` in this process, without what a start of the program takes: prints and exits as
 * `src/command/program.ts` does. One at a time, because the environment and the folder are those of the process.
 */
export async function runCommand(args: string[], { env = {}, cwd }: Surroundings = {}): Promise<Ended> {
  const before = { env: process.env, cwd: process.cwd() };
  process.env = { PATH: before.env.PATH, ...env };
  if (cwd) process.chdir(cwd);
  try {
    const { lines, faults } = await found(args);
    return {
      code: faults.length === 0 ? 0 : 1,
      stdout: textOf(lines),
      stderr: textOf(faults),
    };
  } finally {
    process.env = before.env;
    process.chdir(before.cwd);
  }
}

async function found(args: string[]): Promise<Found> {
  const request = invocationFrom(args, commands);
  if (request.name === 'run') return request.command.run(request.given, composition);
  if (request.name !== 'misused') throw new Error(`${args.join(' ')} runs no command`);
  return { lines: [], faults: [...request.faults, 'run portico --help'] };
}

const textOf = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
