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
    .map((set) => sitePath('', set).slice(sitePath('', []).length)),
);

/** The path of the call that brings the site with these relations, and after it those that bring more. */
export function sitePaths(id: string, include: readonly Relation[]): [string, ...string[]] {
  const site = sitePath(encodeURIComponent(id), []);
  const wanted = relations.reduce(
    (bits, relation, n) => (include.includes(relation) ? bits | (1 << n) : bits),
    0,
  );
  const [first = '', ...more] = endings[wanted] ?? [];
  return [site + first, ...more.map((ending) => site + ending)];
}

/** The path of one call, for tools: an id that nobody knows yet is `{id}`. */
export function pathOf(
  { kind, id }: { kind: 'site' | 'conversation' | 'health'; id: string | null },
  include: readonly Relation[],
): string {
  const segment = id === null ? '{id}' : encodeURIComponent(id);
  if (kind === 'health') return healthPath;
  if (kind === 'conversation') return `/v1/conversation/${segment}/context`;
  return sitePath(
    segment,
    relations.filter((relation) => include.includes(relation)),
  );
}

function sitePath(segment: string, include: readonly Relation[]): string {
  const site = `/v1/site/${segment}`;
  return include.length > 0 ? `${site}?include=${include.join(',')}` : site;
}
