import { conversationContextFromJson, siteFromJson } from './decode.ts';
import type { Target } from './flights.ts';
import { conversationPath, includeOf, sitePath, sitePaths } from './paths.ts';
import type { ConversationContext, Relation, Site } from './resources.ts';
import type { Drift } from './shape.ts';

/** Something that the REST API can be asked, and what its answer means. */
export interface Question<T> extends Target {
  /** The paths of all calls for this thing, whatever they bring. */
  family(): readonly string[];
  /** Makes objects of the caller's own. @throws UpstreamInvalidResponse */
  fromJson(json: unknown, drift: Drift): T;
}

// Classes, for one question is made for every call.

/** A site with these relations. */
export class SiteQuestion implements Question<Site> {
  readonly thing: string;
  readonly path: string;
  readonly #id: string;
  readonly #include: readonly Relation[];

  constructor(id: string, include: readonly Relation[]) {
    this.#id = id;
    this.#include = include;
    this.thing = sitePath(id);
    this.path = this.thing + includeOf(include);
  }

  paths(): readonly string[] {
    return sitePaths(this.#id, this.#include);
  }

  family(): readonly string[] {
    return sitePaths(this.#id);
  }

  fromJson(json: unknown, drift: Drift): Site {
    return siteFromJson(json, this.#id, this.#include, drift);
  }
}

/** The context of a conversation. */
export class ContextQuestion implements Question<ConversationContext> {
  readonly path: string;
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
    this.path = conversationPath(id);
  }

  get thing(): string {
    return this.path;
  }

  paths(): readonly string[] {
    return [this.path];
  }

  family(): readonly string[] {
    return [this.path];
  }

  fromJson(json: unknown, drift: Drift): ConversationContext {
    return conversationContextFromJson(json, this.#id, drift);
  }
}
