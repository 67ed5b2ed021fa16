import SchemaBuilder from '@pothos/core';
import type { Input } from '../input.ts';
import type { Loaders } from '../loaders.ts';
import type { ResponseBudget } from './response-budget.ts';

/** All that a resolver knows of the request. */
export interface Context {
  loaders: Loaders;
  input: Input;
  /** The values that the response may still hold. */
  response: ResponseBudget;
}

/** The type of the elements of a list that may be null. */
export type Element<L extends readonly unknown[] | null> = NonNullable<L>[number];

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

builder.queryType({
  description: 'Everything that can be read. There is nothing to write: the REST API is read-only.',
});
