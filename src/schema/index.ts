import type { GraphQLSchema } from 'graphql';
import './types/scalars.ts';
import './types/site.ts';
import './types/conversation.ts';
import './types/health.ts';
import { builder } from './builder.ts';
import { directives } from './directives.ts';
import { withBoundedFields } from './response-budget.ts';
import type { Extend } from './sdl.ts';

/** The public contract. */
export const schema = withBoundedFields(builder.toSchema({ directives, sortSchema: false }));

/** The schema that a gateway serves: the public contract, and what these add to it, in their order. */
export function servedSchema(extend: readonly Extend[]): GraphQLSchema {
  return extend.reduce((whole, add) => add(whole), schema);
}
