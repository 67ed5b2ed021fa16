import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import './types/scalars.ts';
import './types/site.ts';
import './types/conversation.ts';
import './types/health.ts';
import { builder } from './builder.ts';
import { directives } from './directives.ts';
import { withBoundedFields } from './response-budget.ts';

export const schema = withBoundedFields(builder.toSchema({ directives, sortSchema: false }));

/** The schema that a gateway serves: the public contract, and what these add to it, in their order. */
export function servedSchema(extend: readonly Extend[]): GraphQLSchema {
  return extend.reduce((whole, add) => add(whole), schema);
}

export type Extend = (schema: GraphQLSchema) => GraphQLSchema;

/** An addition to the public contract, which `portico print-schema` prints with an option of this name. */
export interface SchemaText {
  option: string;
  help: string;
  /** The setting with which a gateway serves it. */
  setting: Readonly<Record<string, string>>;
  print(schema: GraphQLSchema): string;
}

/** A schema in SDL, sorted by name: of the public contract it is the text of `schema.graphql`. */
export function sdlOf(schema: GraphQLSchema): string {
  return printSchema(lexicographicSortSchema(schema));
}
