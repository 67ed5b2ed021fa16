/* What a REST call requests: a path, and how its body becomes a resource. */
import { UpstreamInvalidResponse } from './errors.ts';
import { type Drift, isObject } from './json.ts';
import {
  bareSite,
  type ConversationContext,
  conversationBody,
  type Relation,
  relationReaders,
  relations,
  type Site,
} from './resources.ts';

export interface ResourceId {
  kind: 'site' | 'conversation' | 'health';
  /** Null for health, and in a plan if the data decide. */
  id: string | null;
}

/** The path of one call (REST document, section 4). In a plan, an id that is not known yet is `{id}`. */
export function pathOf({ kind, id }: ResourceId, include: readonly Relation[] = []): string {
  const segment = id === null ? '{id}' : encodeURIComponent(id);
  if (kind === 'health') return '/v1/health';
  if (kind === 'conversation') return `/v1/conversation/${segment}/context`;
  return `/v1/site/${segment}${queryOf(include)}`;
}

function queryOf(include: readonly Relation[]): string {
  return include.length > 0 ? `?include=${relations.filter((one) => include.includes(one)).join()}` : '';
}

export interface Target<T = unknown> {
  /** The path without relations, which the calls for one resource have in common. */
  readonly resource: string;
  readonly path: string;
  /** The paths of the calls that return at least these relations, by default its own; the smallest first. */
  paths(include?: readonly Relation[]): readonly string[];
  /** Turns the JSON of a body into the resource, in place. @throws UpstreamInvalidResponse */
  fromJson(json: unknown, drift: Drift): T;
}

/** Every set of relations with its query, in this order: none, each one alone, both. */
const includeSets = relations
  .reduce<Relation[][]>((sets, relation) => sets.concat(sets.map((set) => [...set, relation])), [[]])
  .map((set) => ({ set, query: queryOf(set) }));

/** A site with these relations. */
export class SiteTarget implements Target<Site> {
  readonly resource: string;
  readonly path: string;
  readonly #id: string;
  readonly #include: readonly Relation[];

  constructor(id: string, include: readonly Relation[]) {
    this.#id = id;
    this.#include = include;
    this.resource = pathOf({ kind: 'site', id });
    this.path = this.resource + queryOf(include);
  }

  paths(include: readonly Relation[] = this.#include): readonly string[] {
    const hasAll = (set: readonly Relation[]) => include.every((relation) => set.includes(relation));
    return includeSets.flatMap(({ set, query }) => (hasAll(set) ? this.resource + query : []));
  }

  /** Of the relations only the requested ones are read: others may be incomplete. */
  fromJson(json: unknown, drift: Drift): Site {
    if (!isObject(json)) throw new UpstreamInvalidResponse('a site must be a JSON object');
    // The text is taken first: the reader replaces it in place.
    const { serviceLevel: label } = json;
    const site = bareSite(json, 'Site', drift) as Site;
    if (site.id !== this.#id) throw new UpstreamInvalidResponse('it is another site than the one requested');
    site.serviceLevelLabel = typeof label === 'string' ? label : null;
    for (const relation of relations) {
      if (this.#include.includes(relation)) {
        // `json` is `site`. An absent relation is drift too.
        json[relation] = relationReaders[relation](json[relation], `Site.${relation}`, drift);
      } else if (relation in json) delete json[relation];
    }
    return site;
  }
}

function targetOf<T>(path: string, fromJson: Target<T>['fromJson']): Target<T> {
  return { resource: path, path, paths: () => [path], fromJson };
}

/** The only target whose response is the result, of any status: never decoded, retried or cached. */
export const healthTarget = targetOf(pathOf({ kind: 'health', id: null }), (json) => json);

export function contextTarget(id: string): Target<ConversationContext> {
  return targetOf(pathOf({ kind: 'conversation', id }), (json, drift) => {
    const context = conversationBody(json, 'ConversationContext', drift);
    if (context === null) throw new UpstreamInvalidResponse('a conversation context must be a JSON object');
    return Object.assign(context, { id });
  });
}
