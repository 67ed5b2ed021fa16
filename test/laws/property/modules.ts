import { join } from 'node:path';

/** The modules of a gateway: its own, or those of a mutated copy. */
export type GatewayModules = typeof import('../../../src/errors.ts') &
  typeof import('../../../src/http/graphql-handler.ts') &
  typeof import('../../../src/http/server/server.ts') &
  typeof import('../../../src/input.ts') &
  typeof import('../../../src/loaders.ts') &
  typeof import('../../../src/operation/pipeline.ts') &
  typeof import('../../../src/schema/index.ts') &
  typeof import('../../../src/upstream/caller.ts') &
  typeof import('../../../src/upstream/client.ts');

const files = [
  'errors.ts',
  'http/graphql-handler.ts',
  'http/server/server.ts',
  'input.ts',
  'loaders.ts',
  'operation/pipeline.ts',
  'schema/index.ts',
  'upstream/caller.ts',
  'upstream/client.ts',
];

/** Imports the modules from a folder with the source of a gateway. */
export async function importModules(src: string): Promise<GatewayModules> {
  const modules = {};
  // Sequentially: concurrent imports can load a shared module twice.
  for (const file of files) Object.assign(modules, await import(join(src, file)));
  // The modules whose types are declared above.
  return modules as GatewayModules;
}
