import { freshDatabasePath } from './harness.ts';
import { freshPostgresUrl, hasPostgres } from './postgres.ts';

/** Every engine, with a database of its own for one test; `isMissing` where there is none to test with. */
export const engines = [
  { name: 'SQLite', isMissing: false, freshUrl: async () => `file:${await freshDatabasePath()}` },
  { name: 'Postgres', isMissing: !hasPostgres, freshUrl: freshPostgresUrl },
] as const;
