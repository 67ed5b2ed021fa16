import type { Kysely } from 'kysely';
import { addRowSecurity } from './security.ts';
import type { Tables } from './tables.ts';

interface Step {
  name: string;
  up(db: Kysely<Tables>): Promise<void>;
}

/** In order. A step that has shipped never changes; a new need is a new step. */
const steps: readonly Step[] = [
  { name: '001-keys-sites-conversations', up: createFirstTables },
  { name: '002-links', up: createLinks },
  { name: '003-row-security', up: addRowSecurity },
];

/**
 * Takes the steps that this database has not been through, and then, once like them, `fill`. Safe to repeat; the
 * caller holds the write lock.
 */
export async function migrate(db: Kysely<Tables>, fill: Step['up'] | undefined): Promise<void> {
  await db.schema
    .createTable('steps')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('done_at', 'text', (column) => column.notNull())
    .execute();
  const done = new Set((await db.selectFrom('steps').select('name').execute()).map(({ name }) => name));
  const all = fill ? [...steps, { name: 'fill', up: fill }] : steps;
  for (const step of all.filter(({ name }) => !done.has(name))) {
    await step.up(db);
    await db.insertInto('steps').values({ name: step.name, done_at: new Date().toISOString() }).execute();
  }
}

async function createFirstTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('keys')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('partner_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('contact', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute();
  await db.schema
    .createTable('sites')
    .addColumn('partner_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('site', 'text', (column) => column.notNull())
    .addColumn('clients', 'text', (column) => column.notNull())
    .addColumn('projects', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('sites_key', ['partner_id', 'id'])
    .execute();
  await db.schema
    .createTable('conversations')
    .addColumn('partner_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('context', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('conversations_key', ['partner_id', 'id'])
    .execute();
}

async function createLinks(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('links')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('key_name', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('opened_at', 'text')
    .execute();
}
