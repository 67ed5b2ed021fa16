import type { CompiledQuery } from 'kysely';
import type { ReferenceDatabase } from './tables.ts';
import { readAs } from './tenant.ts';

export type Relation = 'clients' | 'projects';

/** Reads of one partner's data: every query carries the partner's id. */
export interface Store {
  /** The site's JSON text with exactly these relations, or null. Section 4.2. */
  readSite(partnerId: string, id: string, relations: ReadonlySet<Relation>): Promise<string | null>;
  /** The context's JSON text, or null. `id` is in lower case. Section 4.3. */
  readContext(partnerId: string, id: string): Promise<string | null>;
}

type SiteTexts = { site: string } & Partial<Record<Relation, string>>;

/** Compiles each query once and replaces its parameters: building one costs more than reading a row. */
export function createStore(db: ReferenceDatabase): Store {
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
      const names = [...relations];
      const name = names.join();
      const query = siteQueries.get(name) ?? siteQueryWith(names);
      siteQueries.set(name, query);
      const row = await find<SiteTexts>(query, partnerId, id);
      if (!row) return null;
      // The stored object is never empty (its id is required), so a comma before the closing brace is valid.
      const expanded = names.map((relation) => `,"${relation}":${row[relation]}`).join('');
      return `${row.site.slice(0, -1)}${expanded}}`;
    },

    async readContext(partnerId, id) {
      return (await find<{ context: string }>(contextQuery, partnerId, id))?.context ?? null;
    },
  };
}
