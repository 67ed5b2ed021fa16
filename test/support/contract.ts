import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';

/** The public contract, without any code of the gateway. */
export const contract = buildSchema(readFileSync('schema.graphql', 'utf8'));

/** The relations of `include`, in the order in which the gateway sends them. */
export const relations = ['clients', 'projects'] as const;
export type Relation = (typeof relations)[number];
