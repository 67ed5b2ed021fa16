import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';

/** The public contract as partners get it, without a line of the gateway's code. */
export const contract = buildSchema(readFileSync('schema.graphql', 'utf8'));

/** What `include` can expand, in the order of the wire. */
export const relations = ['clients', 'projects'] as const;
export type Relation = (typeof relations)[number];
