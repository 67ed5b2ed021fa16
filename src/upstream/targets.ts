import { conversationContextFromJson, siteFromJson } from './decoding/decode.ts';
import type { Drift, Property } from './decoding/shape.ts';
import { conversationPath, healthPath, includeOf, sitePath, sitePaths } from './paths.ts';
import {
  type ConversationContext,
  contextProperties,
  type Relation,
  type Site,
  siteProperties,
} from './resources.ts';

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
interface ResourceTarget<T> extends Target {
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
