import { conversationContextFromJson, siteFromJson } from './decoding/decode.ts';
import type { Drift, Property } from './decoding/shape.ts';
import {
  type ConversationContext,
  contextProperties,
  type Relation,
  relations,
  type Site,
  siteProperties,
} from './resources.ts';

/** The paths of the REST API (REST document, section 4). */
const healthPath = '/v1/health';

function conversationPath(id: string): string {
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
function includeOf(include: readonly Relation[]): string {
  return queriesFor(include)[0] ?? '';
}

/** The path of a site without its relations. */
function sitePath(id: string): string {
  return `/v1/site/${encodeURIComponent(id)}`;
}

/** The path of a site with these relations, and after it those with more. */
function sitePaths(id: string, include: readonly Relation[] = []): string[] {
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

/** What a REST call is for. */
export interface Target {
  /** What the calls for one resource have in common, whatever relations they include. */
  readonly resource: string;
  /** The path of the call, below the base address. */
  readonly path: string;
  /** That path and, after it, those of the calls that return at least as much. */
  paths(): readonly string[];
  /** The paths of all calls for this resource. */
  allPaths(): readonly string[];
  /**
   * Decodes a body into objects of the caller's own. @throws UpstreamInvalidResponse
   * Absent: the response is wanted as it came, from one call that is neither repeated nor cached.
   */
  readonly fromJson?: (json: unknown, drift: Drift) => unknown;
  /** What can be read of the resource that it decodes to. */
  readonly properties?: Properties;
}

type Properties = readonly Property[];

/** A target whose responses are decoded into a T. */
export interface ResourceTarget<T> extends Target {
  readonly properties: Properties;
  fromJson(json: unknown, drift: Drift): T;
}

// Classes, for one target is made for every call.

/** A site with these relations. */
export class SiteTarget implements ResourceTarget<Site> {
  readonly resource: string;
  readonly path: string;
  readonly #id: string;
  readonly #include: readonly Relation[];

  constructor(id: string, include: readonly Relation[]) {
    this.#id = id;
    this.#include = include;
    this.resource = sitePath(id);
    this.path = this.resource + includeOf(include);
  }

  get properties(): Properties {
    return siteProperties;
  }

  paths(): readonly string[] {
    return sitePaths(this.#id, this.#include);
  }

  allPaths(): readonly string[] {
    return sitePaths(this.#id);
  }

  fromJson(json: unknown, drift: Drift): Site {
    return siteFromJson(json, this.#id, this.#include, drift);
  }
}

/** The context of a conversation. */
export class ContextTarget implements ResourceTarget<ConversationContext> {
  readonly path: string;
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
    this.path = conversationPath(id);
  }

  get resource(): string {
    return this.path;
  }

  get properties(): Properties {
    return contextProperties;
  }

  paths(): readonly string[] {
    return [this.path];
  }

  allPaths(): readonly string[] {
    return [this.path];
  }

  fromJson(json: unknown, drift: Drift): ConversationContext {
    return conversationContextFromJson(json, this.#id, drift);
  }
}

export const healthTarget: Target = {
  resource: healthPath,
  path: healthPath,
  paths: () => [healthPath],
  allPaths: () => [healthPath],
};
