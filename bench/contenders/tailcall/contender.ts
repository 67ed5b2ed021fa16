import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBench } from '../../paths.ts';
import { scratchFolder } from '../../processes/scratch.ts';
import type { Contender, Endpoints } from '../contender.ts';

const binary = inBench('node_modules/@tailcallhq/core-linux-x64-gnu/bin/tailcall');

export const tailcall: Contender = {
  id: 'tailcall',
  title: 'Tailcall',
  format: 'tailcall',
  packages: ['@tailcallhq/core-linux-x64-gnu'],
  env: { TAILCALL_TRACKER: 'false', TC_LOG_LEVEL: 'error' },
  unsupported: {},
  command: (endpoints) => [binary, 'start', configurationOf(endpoints)],
  unavailable,
};

/** The binary is for one system, and requires a newer C library than some have. */
function unavailable(): string | undefined {
  if (!existsSync(binary)) return 'its binary is not for this system';
  const { status, stderr } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  const required = [...new Set(stderr.match(/GLIBC_[\d.]+/g))].sort().at(-1);
  return required ? `its binary needs ${required.replace('_', ' ')}` : 'its binary does not start';
}

/** Writes the configuration, which contains the port and the URL of the upstream. */
function configurationOf({ port, upstreamUrl }: Endpoints): string {
  const file = join(scratchFolder(), 'partner.graphql');
  const text = readFileSync(inBench('contenders/tailcall/partner.graphql'), 'utf8');
  writeFileSync(file, text.replaceAll('__UPSTREAM__', upstreamUrl).replaceAll('__PORT__', String(port)));
  return file;
}
