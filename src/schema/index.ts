import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import './types/scalars.ts';
import './types/site.ts';
import './types/conversation.ts';
import './types/health.ts';
import { builder } from './builder.ts';
import { directives } from './directives.ts';
import { subgraphSdl, withEntities } from './federation.ts';
import { withLiveQueries } from './live.ts';
import { withBoundedFields } from './response-budget.ts';

/** The public contract. */
export const schema = withBoundedFields(builder.toSchema({ directives, sortSchema: false }));

interface Extensions {
  /** With live queries. */
  live: boolean;
  /** As a subgraph. */
  federation: boolean;
}

/** The schema that a gateway serves; `hidesSchema`: not to routers either. */
export function servedSchema({ live, federation }: Extensions, hidesSchema: boolean): GraphQLSchema {
  const whole = federation ? withEntities(schema, { hasService: !hidesSchema }) : schema;
  return live ? withLiveQueries(whole) : whole;
}

/**
 * The schema in SDL, sorted by name: the text of `schema.graphql`; `live`: with live queries; `federation`:
 * as a router reads it.
 */
export function printedSchema({ live, federation }: Extensions): string {
  if (federation) return subgraphSdl(schema);
  return printSchema(lexicographicSortSchema(live ? withLiveQueries(schema) : schema));
}
