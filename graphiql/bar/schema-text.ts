import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

/** The schema in SDL, as `portico print-schema` prints it: sorted by name. */
export function schemaText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
