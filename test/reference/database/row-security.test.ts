import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { createStore } from '../../../reference/database/store.ts';
import type { Tables } from '../../../reference/database/tables.ts';
import { readAs } from '../../../reference/database/tenant.ts';
import { freshOwnedUrl, freshPostgresUrl, hasPostgres, queryPostgres } from '../../support/postgres.ts';
import { openSeeded } from '../support/database.ts';

const everything = ['sites', 'conversations'] as const;
const withoutClause = (table: string) => CompiledQuery.raw(`select partner_id from ${table}`);
const partnersIn = (rows: unknown[]) =>
  [...new Set(rows.map((row) => (row as Tables['sites']).partner_id))].sort();

describe.skipIf(!hasPostgres)('row security on Postgres', () => {
  it('limits a query without the clause to the rows of its partner', async () => {
    const db = await openSeeded(await freshPostgresUrl());
    for (const table of everything) {
      expect(partnersIn(await readAs(db, 'acme', withoutClause(table)))).toEqual(['acme']);
      expect(partnersIn(await readAs(db, 'globex', withoutClause(table)))).toEqual(['globex']);
      for (const unknown of ['', 'unknown', '%', "acme' or 'a' = 'a"]) {
        expect(await readAs(db, unknown, withoutClause(table)), unknown).toEqual([]);
      }
    }
  });

  it('applies to the owner too, outside a transaction of the operator', async () => {
    const db = await openSeeded(await freshOwnedUrl());
    for (const table of everything) {
      expect((await db.executeQuery(withoutClause(table))).rows).toEqual([]);
      expect(partnersIn(await readAs(db, 'acme', withoutClause(table)))).toEqual(['acme']);
    }
    expect(await createStore(db).readSite('acme', demoSites().main, new Set())).toContain('SITE-1001');
  });

  it('lets the reader neither write nor become the operator', async () => {
    const db = await openSeeded(await freshPostgresUrl());
    for (const write of ['delete from sites', "update sites set site = '{}'", 'select digest from keys']) {
      await expect(readAs(db, 'acme', CompiledQuery.raw(write)), write).rejects.toThrow('permission denied');
    }
    const claim = CompiledQuery.raw(
      "with claim as materialized (select set_config('reference.operator', 'on', true)) select partner_id from claim, sites",
    );
    expect(partnersIn(await readAs(db, 'acme', claim))).toEqual(['acme']);
  });

  it('leaves no role or partner behind on the connection', async () => {
    const db = await openSeeded(await freshPostgresUrl());
    const partners = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? 'acme' : 'globex'));
    const seen = await Promise.all(partners.map((partner) => readAs(db, partner, withoutClause('sites'))));
    for (const [n, rows] of seen.entries()) expect(partnersIn(rows)).toEqual([partners[n]]);
    const after = await sql<{ user: string; partner: string | null }>`
      select current_user = session_user as user, current_setting('reference.partner_id', true) as partner
    `.execute(db);
    expect(after.rows).toEqual([{ user: true, partner: '' }]);
  });

  it('serves reads after a failed query', async () => {
    const db = await openSeeded(await freshPostgresUrl());
    const failing = Array.from({ length: 20 }, () => readAs(db, 'acme', CompiledQuery.raw('select 1 / 0')));
    for (const response of await Promise.allSettled(failing)) {
      expect(response).toMatchObject({ status: 'rejected', reason: { message: 'division by zero' } });
    }
    expect(partnersIn(await readAs(db, 'globex', withoutClause('sites')))).toEqual(['globex']);
  });

  it('rejects a reader that is exempt from row security', async () => {
    const url = new URL(await freshPostgresUrl());
    await queryPostgres(url.href, `create role ${url.pathname.slice(1)}_reader bypassrls`);
    await expect(startDatabase(url.href, async () => {})).rejects.toThrow('must be neither superuser');
  });
});
