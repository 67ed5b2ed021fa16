import { type Relation, relations } from './resources.ts';

/** Where the REST API has its resources (REST document, section 4). */
export const healthPath = '/v1/health';

export function conversationPath(id: string): string {
  return pathOf({ kind: 'conversation', id }, []);
}

/** Every set of relations, the smaller before the larger; in each they have the order of the wire. */
const includes = relations.reduce<Relation[][]>(
  (sets, relation) => sets.concat(sets.map((set) => [...set, relation])),
  [[]],
);

/** What comes after a site's path, by the bits of the relations that are wanted: those that bring as much, then more. */
const endings = includes.map((wanted) =>
  includes
    .filter((set) => wanted.every((relation) => set.includes(relation)))
    .map((set) => (set.length > 0 ? `?include=${set.join(',')}` : '')),
);

function endingsFor(include: readonly Relation[]): readonly string[] {
  let bits = 0;
  relations.forEach((relation, n) => {
    if (include.includes(relation)) bits |= 1 << n;
  });
  return endings[bits] ?? [];
}

/** What a site's path ends in where these relations are to come along. */
export function includeOf(include: readonly Relation[]): string {
  return endingsFor(include)[0] ?? '';
}

/** The path of the call that brings a site without its relations. */
export function sitePath(id: string): string {
  return `/v1/site/${encodeURIComponent(id)}`;
}

/** The path of the call that brings the site with these relations, and after it those of the calls that bring more. */
export function sitePaths(id: string, include: readonly Relation[] = []): string[] {
  const site = sitePath(id);
  return endingsFor(include).map((ending) => site + ending);
}

/** The path of one call, for tools: an id that nobody knows yet is `{id}`. */
export function pathOf(
  { kind, id }: { kind: 'site' | 'conversation' | 'health'; id: string | null },
  include: readonly Relation[],
): string {
  const segment = id === null ? '{id}' : encodeURIComponent(id);
  if (kind === 'health') return healthPath;
  if (kind === 'conversation') return `/v1/conversation/${segment}/context`;
  return `/v1/site/${segment}${includeOf(include)}`;
}
