import { lexicographicSortSchema, printSchema } from 'graphql';
import './types/scalars.ts';
import './types/site.ts';
import './types/conversation.ts';
import './types/health.ts';
import { builder } from './builder.ts';
import { directives } from './directives.ts';
import { withLiveQueries } from './live.ts';
import { withBoundedFields } from './response-budget.ts';

/** The public contract. */
export const schema = withBoundedFields(builder.toSchema({ directives, sortSchema: false }));

/** The schema in SDL, sorted by name: the text of `schema.graphql`; `live`: with live queries. */
export function printedSchema({ live }: { live: boolean }): string {
  return printSchema(lexicographicSortSchema(live ? withLiveQueries(schema) : schema));
}
