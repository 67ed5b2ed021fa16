import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../schema/index.ts';

/** The schema that the gateway serves in SDL, sorted by name: the text of `schema.graphql`. */
export function printedSchema(): string {
  return printSchema(lexicographicSortSchema(schema));
}
