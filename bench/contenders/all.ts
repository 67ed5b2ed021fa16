import { existsSync } from 'node:fs';
import type { Contender } from './contender.ts';
import { hiveGateway } from './hive/contender.ts';
import { inBench, inProject } from './places.ts';
import { tailcall } from './tailcall/contender.ts';

const oneCall = 'one request in is one REST call out';

/** Portico with so many workers, each with a core. */
function portico(workers: number): Contender {
  return {
    id: workers === 1 ? 'portico' : `portico-${workers}`,
    title: workers === 1 ? 'Portico' : `Portico, ${workers} workers`,
    dialect: 'graphql',
    cores: workers,
    packages: [],
    // No other contender writes a line for each operation.
    env: { LOG_LEVEL: 'warn', ...(workers > 1 && { WORKERS: String(workers) }) },
    command: () => [process.execPath, inProject('dist/main.js')],
    unable: {},
    // How it grows with cores one light and one heavy operation tell.
    ...(workers > 1 && { only: ['clients', 'dashboard'] as const }),
    missing: () => (existsSync(inProject('dist/main.js')) ? undefined : 'it is not built'),
  };
}

/** A contender in a file of its own here, in one Node process. */
function ours(
  about: Pick<Contender, 'id' | 'title' | 'packages'> & Partial<Contender>,
  file: string,
): Contender {
  return {
    dialect: 'graphql',
    cores: 1,
    env: {},
    unable: {},
    command: () => [process.execPath, inBench(file)],
    ...about,
  };
}

/** Everything that is measured, in the order of the report. */
export const contenders: readonly Contender[] = [
  ours(
    {
      id: 'proxy',
      title: 'raw proxy',
      packages: ['undici'],
      dialect: 'rest',
      unable: { dashboard: oneCall, many: oneCall },
    },
    'dist/contenders/proxy.js',
  ),
  ours({ id: 'floor', title: 'hand-written handler', packages: ['undici'] }, 'dist/contenders/floor.js'),
  portico(1),
  portico(2),
  ours(
    {
      id: 'mercurius',
      title: 'Mercurius with JIT',
      packages: ['mercurius', 'graphql-jit', 'fastify', 'undici'],
    },
    'dist/contenders/mercurius.js',
  ),
  ours(
    { id: 'yoga', title: 'Yoga as documented', packages: ['graphql-yoga', '@pothos/core', 'dataloader'] },
    'dist/contenders/yoga/main.js',
  ),
  ours(
    {
      id: 'apollo',
      title: 'Apollo Server with RESTDataSource',
      packages: ['@apollo/server', '@apollo/datasource-rest'],
    },
    'dist/contenders/apollo.js',
  ),
  hiveGateway,
  tailcall,
];
