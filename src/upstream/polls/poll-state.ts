import type { Validator } from '../call.ts';
import { UpstreamForbidden, UpstreamPollLimit } from '../errors.ts';
import { compare, type Property } from '../json.ts';
import { type Relation, relations } from '../resources.ts';

/** The properties of a decoded resource. */
type Resource = Readonly<Record<string, unknown>>;

export interface PollResponse {
  /** With the relations of `include`; null: a 404. */
  resource: Resource | null;
  include: readonly Relation[];
  /** The relations that were to be loaded: what is known of the others is forgotten. */
  wanted: readonly Relation[];
  /** The path of the call that returned it. */
  path: string;
  /** For the next call of this path. */
  validator: Validator | null;
}

/** What succeeds or fails by itself: the resource without its relations, and each relation. */
type Part = 'bare' | Relation;

/** How the calls for a part went. Times in milliseconds. */
interface PartState {
  /** The path of the latest call that returned it, and when. */
  path: string;
  atMs: number;
  /** The calls fail, and since when. */
  failure: { error: Error; sinceMs: number } | null;
  /** Set where the part is shown though its refresh has failed for too long. */
  stale: StaleRead | null;
}

/** Data whose refresh fails, as `extensions.stale` lists it. */
export interface StaleRead {
  path: string;
  ageSeconds: number;
}

/**
 * What the calls of one poll have returned so far, and what its subscribers see of that. A response is
 * decoded once, for all subscribers, and never written to.
 */
export class PollState {
  /** Grows whenever a subscriber may see something else than before. */
  version = 0;
  /** How many calls have ended. */
  attempts = 0;
  readonly #memory: KeyMemory;
  readonly #staleMs: number;
  readonly #properties: readonly Property[];
  /** With all relations that are known. Null: it does not exist; undefined: no call has returned it. */
  #resource: Resource | null | undefined;
  readonly #parts = new Map<Part, PartState>();
  /** The version of the latest change of each field, and of the latest one of ALL. */
  readonly #changedAt = new Map<string, number>();
  #validator: { path: string; validator: Validator } | null = null;
  #resourceBytes = 0;
  /** The number of the call that got 401 or 403. */
  #forbiddenAt: number | null = null;

  /** `properties`: what can be read of the resource. */
  constructor(memory: KeyMemory, staleMs: number, properties: readonly Property[]) {
    this.#memory = memory;
    this.#staleMs = staleMs;
    this.#properties = properties;
  }

  /** A 401 or 403 ended the poll: it makes no calls unless a new subscriber wants one. */
  get isForbidden(): boolean {
    return this.#forbiddenAt !== null;
  }

  /** For a call of this path. */
  validatorOf(path: string): Validator | null {
    return this.#validator?.path === path ? this.#validator.validator : null;
  }

  /** Whether `read` can answer for these relations: with data or a failure newer than call number `since`. */
  isSettled(include: readonly Relation[], since: number): boolean {
    if (this.#forbiddenAt !== null) return this.#forbiddenAt > since;
    const areFailuresNew = since < 0 || this.attempts > since;
    return partsOf(include).every((part) => this.#isShown(part) || (areFailuresNew && this.#errorOf(part)));
  }

  /**
   * The resource with these relations and no others; null for a 404. A relation that could not be loaded is
   * the error in its place. @throws what the call failed with
   */
  read(include: readonly Relation[]): Resource | null {
    if (this.isForbidden) throw new UpstreamForbidden();
    const resource = this.#resource;
    if (resource === undefined) throw this.#errorOf('bare');
    if (resource === null) return null;
    const view: Record<string, unknown> = { ...resource };
    for (const relation of relations) {
      if (!include.includes(relation)) view[relation] = undefined;
      else if (!this.#isShown(relation)) view[relation] = this.#errorOf(relation);
    }
    return Object.freeze(view);
  }

  /** Whether a subscriber of these fields sees something else than at `version`. */
  hasChanged(version: number, fields: ReadonlySet<string>): boolean {
    if (this.version === version) return false;
    if ((this.#changedAt.get(ALL) ?? 0) > version) return true;
    for (const field of fields) if ((this.#changedAt.get(field) ?? 0) > version) return true;
    return false;
  }

  /** What a subscriber of these relations sees though it is stale. */
  staleOf(include: readonly Relation[]): StaleRead[] {
    const stale = partsOf(include).flatMap((part) => this.#parts.get(part)?.stale ?? []);
    return [...new Map(stale.map((read) => [read.path, read])).values()];
  }

  /** Returns whether the data differs from before, in all that the gateway reads. */
  onResponse({ resource, include, wanted, path, validator }: PollResponse): boolean {
    const before = this.#resource;
    const { next, changed } = this.#update(resource, wanted);
    const resourceBytes = next === before ? this.#resourceBytes : bytesOf(next);
    const bytes = resourceBytes + (validator?.body.length ?? 0);
    if (!this.#memory.replace(this.#bytes, bytes)) {
      this.onFailure(new UpstreamPollLimit(this.#memory.limit, 'bytes'), partsOf(include));
      return false;
    }
    this.attempts += 1;
    this.#resource = next;
    this.#resourceBytes = resourceBytes;
    this.#validator = validator && { path, validator };
    if (this.isForbidden || !before || !next) {
      if (this.isForbidden || before !== next) this.#onChange('bare');
    } else for (const field of changed) this.#onFieldChange(field);
    this.#forbiddenAt = null;
    const atMs = performance.now();
    for (const relation of relations) if (!wanted.includes(relation)) this.#parts.delete(relation);
    for (const part of partsOf(resource ? include : relations)) {
      if (this.#parts.get(part)?.stale) this.#onChange(part);
      this.#parts.set(part, { path, atMs, failure: null, stale: null });
    }
    return before !== undefined && before !== next;
  }

  /** A call that failed, for these parts: what is known of them is still shown. */
  onFailure(error: Error, parts: readonly Part[]): void {
    this.attempts += 1;
    // A subscriber has had the call made again: the poll goes on.
    if (this.isForbidden) this.#onChange('bare');
    this.#forbiddenAt = null;
    for (const part of parts) this.#onPartFailure(error, part);
    this.markStale();
  }

  /** The calls wait because of a failure of another poll: from now on the refresh of what is shown fails. */
  onPause(error: Error): void {
    for (const part of this.#parts.keys()) if (this.#isShown(part)) this.#onPartFailure(error, part);
  }

  /** On the clock of `performance.now`: when `markStale` has something to mark, unless calls succeed. */
  get staleAtMs(): number {
    const failing = [...this.#parts].filter(([part, { stale }]) => !stale && this.#isShown(part));
    return Math.min(...failing.map(([, { failure }]) => (failure?.sinceMs ?? Infinity) + this.#staleMs));
  }

  /** Marks the data that is shown though its refresh has failed for too long. */
  markStale(): void {
    const nowMs = performance.now();
    for (const [part, state] of this.#parts) {
      const { failure, path, atMs } = state;
      if (!failure || state.stale || !this.#isShown(part) || nowMs - failure.sinceMs < this.#staleMs)
        continue;
      state.stale = { path, ageSeconds: Math.round((nowMs - atMs) / 1000) };
      this.#onChange(part);
    }
  }

  #onPartFailure(error: Error, part: Part): void {
    const nowMs = performance.now();
    const state = this.#parts.get(part) ?? { path: '', atMs: nowMs, failure: null, stale: null };
    this.#parts.set(part, state);
    const before = state.failure;
    const isSame = before?.error.constructor === error.constructor;
    state.failure = isSame ? before : { error, sinceMs: before?.sinceMs ?? nowMs };
    // Subscribers of what is missing see the error. It stays the first of its kind, so that their results
    // stay equal.
    if (!isSame && !this.#isShown(part)) this.#onChange(part);
  }

  /** A 401 or 403: what was kept is forgotten. */
  onForbidden(): void {
    this.attempts += 1;
    this.forget();
    if (this.#forbiddenAt === null) this.#onChange('bare');
    this.#forbiddenAt = this.attempts;
  }

  forget(): void {
    this.#memory.replace(this.#bytes, 0);
    this.#resource = undefined;
    this.#resourceBytes = 0;
    this.#validator = null;
    this.#parts.clear();
  }

  get #bytes(): number {
    return this.#resourceBytes + (this.#validator?.validator.body.length ?? 0);
  }

  #isShown(part: Part): boolean {
    if (part === 'bare') return this.#resource !== undefined;
    return this.#resource === null || (this.#resource !== undefined && part in this.#resource);
  }

  #errorOf(part: Part): Error | undefined {
    return this.#parts.get(part)?.failure?.error;
  }

  /** The resource with those wanted relations that are known already, and the fields that have changed. */
  #update(resource: Resource | null, wanted: readonly string[]) {
    const before = this.#resource;
    const changed = new Set<string>();
    if (!resource || !before) return { next: resource, changed };
    const next: Record<string, unknown> = { ...resource };
    for (const property of this.#properties) {
      const { name, field } = property;
      if (name in before && name in next) compare(property, before[name], next[name], changed);
      else if (name in before && wanted.includes(name)) next[name] = before[name];
      else if (name in before || name in next) changed.add(field);
    }
    return { next: changed.size > 0 ? next : before, changed };
  }

  #onChange(part: Part): void {
    this.#onFieldChange(part === 'bare' ? ALL : `Site.${part}`);
  }

  #onFieldChange(field: string): void {
    this.version += 1;
    this.#changedAt.set(field, this.version);
  }
}

/** In place of a field: a change that all subscribers see. */
const ALL = '';

export function partsOf(include: readonly Relation[]): readonly Part[] {
  return ['bare', ...include];
}

/** How much of the limit one key may keep. */
const SHARE = 1 / 2;

/** The memory of one key. */
export interface KeyMemory {
  /** How many bytes the key may keep, while the others leave so much. */
  readonly limit: number;
  /** Replaces `before` bytes by `after`. Changes nothing and returns false where they grow beyond a limit. */
  replace(before: number, after: number): boolean;
  /** Whether the key itself keeps too much for `growth` more bytes, whatever the others keep. */
  isFullFor(growth: number): boolean;
}

/** What decoded JSON takes in memory, in bytes: an estimate, for most resources about twice as much. */
function bytesOf(json: unknown): number {
  let bytes = 0;
  // Not recursive: JSON may be nested as deep as its length allows.
  const rest = [json];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') bytes += 24 + value.length * (beyondLatin1.test(value) ? 2 : 1);
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    // Many names need a hash table.
    const bytesPerValue = inner.length > 128 && !Array.isArray(value) ? 64 : 16;
    bytes += 64 + bytesPerValue * inner.length;
    for (const one of inner) rest.push(one);
  }
  return bytes;
}

const beyondLatin1 = /[^\0-\xff]/;

/** Bytes that live queries keep: up to a limit in all, and a share of it for each key. */
export class MemoryLimit {
  used = 0;
  readonly #limit: number;
  readonly #limitOfKey: number;
  /** By the digest of the key. */
  readonly #usedByKey = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
    this.#limitOfKey = Math.floor(limit * SHARE);
  }

  ofKey(keyHash: string): KeyMemory {
    const usedByKey = () => this.#usedByKey.get(keyHash) ?? 0;
    const isFullFor = (growth: number) => usedByKey() + growth > this.#limitOfKey;
    const replace = (before: number, after: number) => {
      const growth = after - before;
      if (growth > 0 && (this.used + growth > this.#limit || isFullFor(growth))) return false;
      const used = usedByKey() + growth;
      this.used += growth;
      if (used > 0) this.#usedByKey.set(keyHash, used);
      else this.#usedByKey.delete(keyHash);
      return true;
    };
    return { limit: this.#limitOfKey, replace, isFullFor };
  }
}
