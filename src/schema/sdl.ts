import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

/** Adds to a schema what a feature serves; leaves that one as it is. */
export type Extend = (schema: GraphQLSchema) => GraphQLSchema;

/** What `portico print-schema` prints with an option of this name. */
export interface SchemaText {
  option: string;
  help: string;
  /** `schema`: the public contract. */
  print(schema: GraphQLSchema): string;
}

/** A schema in SDL, sorted by name: of the public contract it is the text of `schema.graphql`. */
export function sdlOf(schema: GraphQLSchema): string {
  return printSchema(lexicographicSortSchema(schema));
}
