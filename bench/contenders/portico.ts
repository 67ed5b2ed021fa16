import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { inProject } from '../paths.ts';
import type { Contender } from './contender.ts';

/** The Portico that is built in a folder, with settings of its own. */
export function createPortico(
  id: string,
  title: string,
  folder: string,
  env: Record<string, string>,
): Contender {
  const main = resolve(folder, 'dist/main.js');
  return {
    id,
    title,
    format: 'shared-schema',
    packages: [],
    env,
    command: () => [process.execPath, main],
    unsupported: {},
    unavailable: () => (existsSync(main) ? undefined : `${main} does not exist: build it first`),
  };
}

/** The Portico of this project, which logs warnings only. */
export const portico = createPortico('portico', 'Portico, warnings logged', inProject('.'), {
  LOG_LEVEL: 'warn',
});
