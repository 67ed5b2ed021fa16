import { sql } from 'kysely';
import { addRowSecurity } from './row-security.ts';
import type { ReferenceDatabase } from './tables.ts';

/** Writes the initial data of a database. */
export type Seed = (db: ReferenceDatabase) => Promise<void>;

/** In order. A released migration never changes; a new need is a new migration. */
const migrations: readonly { name: string; up: Seed }[] = [
  { name: '001-keys-sites-conversations', up: createFirstTables },
  { name: '002-links', up: createLinks },
  { name: '003-row-security', up: addRowSecurity },
  { name: '004-rate-limit-of-a-key', up: addRateLimit },
];

/** The name of the seed among the steps of a database. */
const SEED_STEP = 'fill';

/** Runs the migrations that this database lacks, then `seed`, once too. The caller holds the write lock. */
export async function migrate(db: ReferenceDatabase, seed: Seed | undefined): Promise<void> {
  await sql`create table if not exists steps (name text primary key, done_at text not null)`.execute(db);
  const done = new Set((await db.selectFrom('steps').select('name').execute()).map(({ name }) => name));
  const all = seed ? [...migrations, { name: SEED_STEP, up: seed }] : migrations;
  for (const { name, up } of all.filter(({ name }) => !done.has(name))) {
    await up(db);
    await db.insertInto('steps').values({ name, done_at: new Date().toISOString() }).execute();
  }
}

/** Deletes all data, keys and links, so that the next server seeds again. The caller holds the write lock. */
export async function empty(db: ReferenceDatabase): Promise<void> {
  for (const table of ['links', 'keys', 'sites', 'conversations'] as const) {
    await db.deleteFrom(table).execute();
  }
  await db.deleteFrom('steps').where('name', '=', SEED_STEP).execute();
}

async function createFirstTables(db: ReferenceDatabase): Promise<void> {
  await sql`create table keys (
    digest text primary key,
    name text not null unique,
    partner_id text not null,
    environment text not null,
    description text not null,
    contact text not null,
    scopes text not null,
    created_at text not null,
    last_used_at text,
    expires_at text,
    revoked_at text
  )`.execute(db);
  await sql`create table sites (
    partner_id text not null,
    id text not null,
    site text not null,
    clients text not null,
    projects text not null,
    constraint sites_key primary key (partner_id, id)
  )`.execute(db);
  await sql`create table conversations (
    partner_id text not null,
    id text not null,
    context text not null,
    constraint conversations_key primary key (partner_id, id)
  )`.execute(db);
}

async function createLinks(db: ReferenceDatabase): Promise<void> {
  await sql`create table links (
    digest text primary key,
    key_name text not null,
    sealed text,
    created_at text not null,
    expires_at text not null,
    opened_at text
  )`.execute(db);
}

async function addRateLimit(db: ReferenceDatabase): Promise<void> {
  await sql`alter table keys add column rate_limit integer`.execute(db);
}
