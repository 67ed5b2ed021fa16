import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../processes/scratch.ts';
import type { Contender, Place } from '../contender.ts';
import { inBench } from '../places.ts';

const binary = inBench('node_modules/@tailcallhq/core-linux-x64-gnu/bin/tailcall');

export const tailcall: Contender = {
  id: 'tailcall',
  title: 'Tailcall',
  dialect: 'tailcall',
  cores: 1,
  packages: ['@tailcallhq/core-linux-x64-gnu'],
  env: { TAILCALL_TRACKER: 'false', TC_LOG_LEVEL: 'error' },
  unable: {},
  command: (place) => [binary, 'start', configurationOf(place)],
  missing,
};

/** It is built for one system, and for a newer C library than some have. */
function missing(): string | undefined {
  if (!existsSync(binary)) return 'its binary is not for this system';
  const { status, stderr } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  const wanted = [...new Set(stderr.match(/GLIBC_[\d.]+/g))].sort().at(-1);
  return wanted ? `its binary needs ${wanted.replace('_', ' ')}` : 'its binary does not start';
}

/** The configuration with the addresses of this run, which are a part of it. */
function configurationOf({ port, upstreamUrl }: Place): string {
  const file = join(scratchFolder(), 'partner.graphql');
  const text = readFileSync(inBench('contenders/tailcall/partner.graphql'), 'utf8');
  writeFileSync(file, text.replaceAll('__UPSTREAM__', upstreamUrl).replaceAll('__PORT__', String(port)));
  return file;
}
