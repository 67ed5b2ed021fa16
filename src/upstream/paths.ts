import { type Relation, relations } from './resources.ts';

/** The paths of the REST API (REST document, section 4). */
export const healthPath = '/v1/health';

export function conversationPath(id: string): string {
  return pathOf({ kind: 'conversation', id }, []);
}

/** Every set of relations, the smaller before the larger, each in the order of the path. */
const includes = relations.reduce<Relation[][]>(
  (sets, relation) => sets.concat(sets.map((set) => [...set, relation])),
  [[]],
);

/** The queries of a site's path by the bits of the wanted relations: the one for just these, then those for more. */
const queries = includes.map((wanted) =>
  includes
    .filter((set) => wanted.every((relation) => set.includes(relation)))
    .map((set) => (set.length > 0 ? `?include=${set.join(',')}` : '')),
);

function queriesFor(include: readonly Relation[]): readonly string[] {
  let bits = 0;
  relations.forEach((relation, n) => {
    if (include.includes(relation)) bits |= 1 << n;
  });
  return queries[bits] ?? [];
}

/** The query of a site's path for these relations. */
export function includeOf(include: readonly Relation[]): string {
  return queriesFor(include)[0] ?? '';
}

/** The path of a site without its relations. */
export function sitePath(id: string): string {
  return `/v1/site/${encodeURIComponent(id)}`;
}

/** The path of a site with these relations, and after it those with more. */
export function sitePaths(id: string, include: readonly Relation[] = []): string[] {
  const site = sitePath(id);
  return queriesFor(include).map((query) => site + query);
}

/** The path of one call, for the plan of an operation: an id that is not known yet is `{id}`. */
export function pathOf(
  { kind, id }: { kind: 'site' | 'conversation' | 'health'; id: string | null },
  include: readonly Relation[],
): string {
  const segment = id === null ? '{id}' : encodeURIComponent(id);
  if (kind === 'health') return healthPath;
  if (kind === 'conversation') return `/v1/conversation/${segment}/context`;
  return `/v1/site/${segment}${includeOf(include)}`;
}
