import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

/** Adds to a schema what a feature serves; leaves that one as it is. */
export type Extend = (schema: GraphQLSchema) => GraphQLSchema;

/** What a schema may have beside the public contract: `portico print-schema` prints it with an option of this name. */
export interface SchemaText {
  option: string;
  help: string;
  /** The setting with which a gateway serves it. */
  setting: Readonly<Record<string, string>>;
  /** `schema`: the public contract. */
  print(schema: GraphQLSchema): string;
}

/** A schema in SDL, sorted by name: of the public contract it is the text of `schema.graphql`. */
export function sdlOf(schema: GraphQLSchema): string {
  return printSchema(lexicographicSortSchema(schema));
}
