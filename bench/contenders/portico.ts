import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inProject } from '../paths.ts';
import type { Command } from '../processes/cores.ts';

/** The flags of Node and the program in the `npm start` of a folder. */
function startArguments(folder: string): { flags: string[]; program: string } {
  const { scripts } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
  const [, ...args] = (scripts.start as string).split(' ');
  return { flags: args.slice(0, -1), program: resolve(folder, args.at(-1) ?? '') };
}

/** The command of `npm start` in a folder, on this Node, with more flags. @throws Error if the folder is not built */
export function startCommand(folder = inProject('.'), more: readonly string[] = []): Command {
  const { flags, program } = startArguments(folder);
  if (!existsSync(program)) throw new Error(`${program} does not exist: build it first`);
  return [process.execPath, ...flags, ...more, program];
}

/** The variables of the allocator of the C library that the image sets. */
export function allocatorVariables(): Record<string, string> {
  const dockerfile = readFileSync(inProject('deploy/Dockerfile'), 'utf8');
  const [, variables = ''] = /^ENV (MALLOC_.+)$/m.exec(dockerfile) ?? [];
  return Object.fromEntries(variables.split(' ').map((variable) => variable.split('=')));
}

/** Node's flags of `npm start`: the young space that Portico has. */
export function ownFlags(): string[] {
  return startArguments(inProject('.')).flags;
}
