import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.ts';
import { readAs } from './tenant.ts';

export type Relation = 'clients' | 'projects';

/** What a partner may read. Every query carries the partner's id, so nothing here can answer for another. */
export interface Store {
  /** The site's JSON text with exactly the relations asked for, or null. Section 4.2. */
  readSite(partnerId: string, id: string, relations: ReadonlySet<Relation>): Promise<string | null>;
  /** The context's JSON text, or null. `id` is in lower case. Section 4.3. */
  readContext(partnerId: string, id: string): Promise<string | null>;
}

type SiteTexts = { site: string } & Partial<Record<Relation, string>>;

/** Its queries are compiled once and read with other values each time: building one costs more than reading. */
export function createStore(db: Kysely<Tables>): Store {
  const siteQueries = new Map<string, CompiledQuery<SiteTexts>>();
  const contextQuery = db
    .selectFrom('conversations')
    .select('context')
    .where('partner_id', '=', '')
    .where('id', '=', '')
    .compile();

  const siteQueryWith = (relations: readonly Relation[]) =>
    db
      .selectFrom('sites')
      .select(['site', ...relations])
      .where('partner_id', '=', '')
      .where('id', '=', '')
      .compile();

  const find = async <Row>(query: CompiledQuery<Row>, partnerId: string, id: string) => {
    const [row] = await readAs<Row>(db, partnerId, { ...query, parameters: [partnerId, id] });
    return row;
  };

  return {
    async readSite(partnerId, id, relations) {
      const wanted = [...relations];
      const name = wanted.join();
      const query = siteQueries.get(name) ?? siteQueryWith(wanted);
      siteQueries.set(name, query);
      const row = await find<SiteTexts>(query, partnerId, id);
      if (!row) return null;
      // The stored object is never empty (id and address are required), so a comma always fits before its brace.
      const expanded = wanted.map((relation) => `,"${relation}":${row[relation]}`).join('');
      return `${row.site.slice(0, -1)}${expanded}}`;
    },

    async readContext(partnerId, id) {
      return (await find<{ context: string }>(contextQuery, partnerId, id))?.context ?? null;
    },
  };
}
