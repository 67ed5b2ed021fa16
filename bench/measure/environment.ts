import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import type { Contender } from '../contenders/contender.ts';
import { inBench } from '../paths.ts';
import { canPin } from '../processes/cores.ts';
import type { Results } from './results.ts';

/** The machine of a run. */
export function describeMachine(nginx: string | undefined): Results['machine'] {
  return {
    processor: cpus()[0]?.model ?? 'unknown processor',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    nginx: nginx ?? null,
    isPinned: canPin,
  };
}

/** The packages of a contender with their versions; the commit of Portico. */
export function versionsOf({ packages }: Contender): string {
  if (packages.length === 0) return `commit ${commit()}`;
  return packages
    .flatMap((name) => {
      const file = inBench(`node_modules/${name}/package.json`);
      if (!existsSync(file)) return [];
      const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
      return [`${name} ${version.replace(/^v/, '')}`];
    })
    .join(', ');
}

function commit(): string {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], {
    cwd: inBench('.'),
    encoding: 'utf8',
  });
  return stdout?.trim() || 'unknown';
}
