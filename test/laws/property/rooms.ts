import { join } from 'node:path';

/** The rooms of a gateway: its own, or those of a broken copy. */
export type Rooms = typeof import('../../../src/errors.ts') &
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

/** Imports the rooms from the folder of a gateway's code. */
export async function roomsIn(src: string): Promise<Rooms> {
  const rooms = {};
  // One after the other: imported at once, a module that two of them share may come to exist twice.
  for (const file of files) Object.assign(rooms, await import(join(src, file)));
  // These are the modules whose types stand above.
  return rooms as Rooms;
}
