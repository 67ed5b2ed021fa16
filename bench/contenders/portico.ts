import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inProject } from '../paths.ts';
import type { Contender } from './contender.ts';

/** The Portico that is built in a folder, with settings of its own, and flags for Node after those of `npm start`. */
export function createPortico(
  id: string,
  title: string,
  folder: string,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Contender {
  const main = resolve(folder, 'dist/main.js');
  return {
    id,
    title,
    format: 'shared-schema',
    packages: [],
    env,
    command: () => startCommand(folder, flags),
    unsupported: {},
    unavailable: () => (existsSync(main) ? undefined : `${main} does not exist: build it first`),
  };
}

/** The command of `npm start` in a folder, on this Node, with more flags. */
export function startCommand(folder: string, flags: readonly string[] = []): [string, ...string[]] {
  const { scripts } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
  const [, ...args] = (scripts.start as string).split(' ');
  return [process.execPath, ...args.slice(0, -1), ...flags, resolve(folder, args.at(-1) ?? '')];
}

/** The Portico of this project, which logs warnings only. */
export const portico = createPortico('portico', 'Portico, warnings logged', inProject('.'), {
  LOG_LEVEL: 'warn',
});
