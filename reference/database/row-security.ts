import { sql } from 'kysely';
import { isPostgres } from './postgres.ts';
import type { ReferenceDatabase } from './tables.ts';
import { readAs, readerRole } from './tenant.ts';

const guarded = ['sites', 'conversations'] as const;

/**
 * Adds row security to the partners' tables on Postgres; SQLite has neither it nor users. A row is visible to
 * its own partner, and to the owner in a transaction marked as the operator's. Ids are compared byte by byte,
 * as in SQLite.
 */
export async function addRowSecurity(db: ReferenceDatabase): Promise<void> {
  if (!isPostgres(db)) return;
  await createReader(db);
  for (const name of guarded) {
    const table = sql.table(name);
    for (const column of ['partner_id', 'id']) {
      await sql`alter table ${table} alter column ${sql.ref(column)} type text collate "C"`.execute(db);
    }
    await sql`create policy partner on ${table}
      for select using (partner_id = current_setting('reference.partner_id', true))`.execute(db);
    await sql`create policy operator on ${table} to current_user
      using (current_setting('reference.operator', true) = 'on')`.execute(db);
    await sql`alter table ${table} enable row level security, force row level security`.execute(db);
  }
}

/** Reads once as the reader, so that a missing privilege fails the start rather than every request. */
export async function checkReader(db: ReferenceDatabase): Promise<void> {
  await readAs(db, '', db.selectFrom('sites').select('id').where('partner_id', '=', '').limit(1).compile());
}

/** Creates the role if needed, and grants it the reads, and this user the role. */
async function createReader(db: ReferenceDatabase): Promise<void> {
  await sql`do $$
    declare
      reader text := ${readerRole};
    begin
      begin
        if not exists (select from pg_roles where rolname = reader) then
          execute format('create role %I nologin', reader);
        end if;
      exception when duplicate_object or unique_violation then null;
      end;
      if exists (select from pg_roles where rolname = reader and (rolsuper or rolbypassrls)) then
        raise exception 'role % must be neither superuser nor exempt from row security', reader;
      end if;
      -- From 16 on, the creator of a role may grant it, but needs a grant to set it.
      if not (case when current_setting('server_version_num')::int >= 160000
                   then pg_has_role(reader, 'set') else pg_has_role(reader, 'member') end) then
        execute format('grant %I to current_user', reader);
      end if;
      execute format('grant usage on schema %I to %I', current_schema(), reader);
      execute format('grant select on sites, conversations to %I', reader);
    end $$`.execute(db);
}
