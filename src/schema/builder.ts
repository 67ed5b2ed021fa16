import SchemaBuilder, { type FieldMap } from '@pothos/core';
import type { Input } from './input.ts';
import type { Loaders } from './loaders.ts';
import type { ResponseBudget } from './response-budget.ts';

export interface Context {
  loaders: Loaders;
  input: Input;
  /** The values that the response may still hold. */
  response: ResponseBudget;
}

/** Fields are nullable by default: the REST API guarantees few values. */
export const builder = new SchemaBuilder<{
  Context: Context;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: never; Output: string };
    Date: { Input: never; Output: string };
    JSON: { Input: never; Output: unknown };
  };
}>({});

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** The type and description of a property; a description alone is that of a string. A `!` is never null. */
type Properties<S> = { [K in keyof S]?: string | [type: unknown, description: string] };

/** An object type: the fields that are properties of S, and those with a resolver. */
export function objectType<S>(
  name: string,
  description: string,
  properties: Properties<S>,
  resolved: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, S>) => FieldMap = () => ({}),
) {
  const exposed = Object.entries(properties as Record<string, string | [unknown, string]>);
  return builder.objectRef<S>(name).implement({
    description,
    fields(t) {
      const fields = exposed.map(([property, field]) => {
        const [output, description] = typeof field === 'string' ? ['String', field] : field;
        const type = typeof output === 'string' ? output.replace('!', '') : output;
        const options = { type, description, nullable: type === output };
        return [property, t.expose(property as never, options as never)];
      });
      return { ...Object.fromEntries(fields), ...resolved(t) };
    },
  });
}

builder.queryType({
  description: 'Everything that can be read. There is nothing to write: the REST API is read-only.',
});
