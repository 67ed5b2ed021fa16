import type { ParsedParams } from './documents.ts';

/** Documents that heads of every kind are put before: some that are well and some that are not. */
export const site = { query: '{ site(id: "SITE-1") { id clients { name } } }' };
export const deferring = { query: '{ site(id: "SITE-1") { id ... @defer { clients { name } } } }' };
export const failing = { query: '{ site(id: "SITE-s500") { id } b: site(id: "SITE-1") { id } }' };
export const refused = { query: '{ nothing }' };
export const schema = { query: '{ __schema { queryType { name } } __typename }' };
export const everywhere: ParsedParams[] = [site, deferring, failing, refused, schema];
