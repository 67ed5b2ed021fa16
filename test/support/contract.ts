import { readFileSync } from 'node:fs';
import { buildSchema, extendSchema, parse } from 'graphql';

/** The public contract, without any code of the gateway. */
export const contract = buildSchema(readFileSync('schema.graphql', 'utf8'));

/** The same with `FEDERATION=on`, without `_service`. */
export const subgraphContract = extendSchema(
  contract,
  parse(`
    scalar _Any
    union _Entity = Site | ConversationContext
    extend type Query { _entities(representations: [_Any!]!): [_Entity]! }
  `),
);

/** The relations of `include`, in the order in which the gateway sends them. */
export const relations = ['clients', 'projects'] as const;
export type Relation = (typeof relations)[number];
