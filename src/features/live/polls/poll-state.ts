import type { Validator } from '../../../rest/call.ts';
import { UpstreamForbidden, UpstreamPollLimit } from '../../../rest/errors.ts';
import { isObject, type Property } from '../../../rest/json.ts';
import { type Relation, relations } from '../../../rest/resources.ts';

/** The properties of a decoded resource. */
type Decoded = Readonly<Record<string, unknown>>;

export interface PollResponse {
  /** With the relations of `include`; null: a 404. */
  resource: Decoded | null;
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
  /** The path of the latest call that returned it, and when: of what none has returned, its first failure. */
  path: string;
  atMs: number;
  /** Why the latest calls fail. It stays the first error of its kind, so that results stay equal. */
  error: Error | null;
  /** Infinity: the latest call succeeded. */
  failingSinceMs: number;
  /** Set where the part is shown though its refresh has failed for too long. */
  stale: StaleRead | null;
}

/** Data whose refresh fails, as `extensions.stale` lists it. */
export interface StaleRead {
  path: string;
  ageSeconds: number;
}

/** How current the data of an execution is. */
export interface Checked {
  /** How long ago the calls returned it, or first failed. */
  ageMs: number;
  /** How many times the interval of its poll that is: from 2 on, polls were missed. */
  intervals: number;
}

/** What the calls of one poll have returned: decoded once, for all subscribers, and never written to. */
export class PollState {
  /** How many calls have ended. */
  attempts = 0;
  readonly #memory: KeyMemory;
  readonly #staleMs: number;
  readonly #properties: readonly Property[];
  /** With all relations that are known. Null: it does not exist; undefined: no call has returned it. */
  #resource: Decoded | null | undefined;
  readonly #parts = new Map<Part, PartState>();
  #changes = new Set<string>();
  #validator: { path: string; validator: Validator } | null = null;
  #resourceBytes = 0;

  /** `properties`: what can be read of the resource. */
  constructor(memory: KeyMemory, staleMs: number, properties: readonly Property[]) {
    this.#memory = memory;
    this.#staleMs = staleMs;
    this.#properties = properties;
  }

  /** A 401 or 403 ended the poll: it makes no calls unless a new subscriber wants one. */
  get isForbidden(): boolean {
    return this.#errorOf('bare') instanceof UpstreamForbidden;
  }

  /** For a call of this path. */
  validatorOf(path: string): Validator | null {
    return this.#validator?.path === path ? this.#validator.validator : null;
  }

  /** Whether `read` can answer for these relations: with data or a failure newer than call number `since`. */
  isSettled(include: readonly Relation[], since: number): boolean {
    const areFailuresNew = this.attempts > since;
    return partsOf(include).every((part) => this.#isShown(part) || (areFailuresNew && this.#errorOf(part)));
  }

  /**
   * The resource with these relations and no others; null for a 404. A relation that could not be loaded is
   * the error in its place. @throws what the call failed with
   */
  read(include: readonly Relation[]): Decoded | null {
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

  /** The fields in which a subscriber may see something else than at the call before, or ALL_FIELDS. */
  takeChanges(): ReadonlySet<string> {
    const changes = this.#changes;
    if (changes.size > 0) this.#changes = new Set();
    return changes;
  }

  /** What a subscriber of these relations sees though it is stale. */
  staleOf(include: readonly Relation[]): StaleRead[] {
    const stale = partsOf(include).flatMap((part) => this.#parts.get(part)?.stale ?? []);
    return [...new Map(stale.map((read) => [read.path, read])).values()];
  }

  /**
   * How long ago the calls returned what a subscriber of these relations sees, or began to fail: the oldest part,
   * 0 for none. What is forbidden does not count: it is not called again.
   */
  ageMsOf(include: readonly Relation[]): number {
    const states = partsOf(include).flatMap((part) => this.#parts.get(part) ?? []);
    const nowMs = performance.now();
    const polled = states.filter(({ error }) => !(error instanceof UpstreamForbidden));
    return Math.max(0, ...polled.map(({ atMs }) => nowMs - atMs));
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
    if (before && next) for (const field of changed) this.#changes.add(field);
    else if (before !== next) this.#onChange('bare');
    const atMs = performance.now();
    for (const relation of relations) if (!wanted.includes(relation)) this.#parts.delete(relation);
    for (const part of partsOf(resource ? include : relations)) {
      if (this.#parts.get(part)?.stale) this.#onChange(part);
      this.#parts.set(part, { path, atMs, error: null, failingSinceMs: Infinity, stale: null });
    }
    return before !== undefined && before !== next;
  }

  /**
   * A call that failed, for these parts: what is known of them is still shown. After a 401 or 403 nothing is
   * known of any part, until a call of a new subscriber meets something else.
   */
  onFailure(error: Error, parts: readonly Part[]): void {
    this.attempts += 1;
    const isForbidden = error instanceof UpstreamForbidden;
    if (isForbidden !== this.isForbidden) this.forget();
    for (const part of isForbidden ? partsOf(relations) : parts) this.#onPartFailure(error, part);
    this.markStale();
  }

  /** The calls wait because of a failure of another poll: from now on the refresh of what is shown fails. */
  onPause(error: Error): void {
    for (const part of this.#parts.keys()) if (this.#isShown(part)) this.#onPartFailure(error, part);
  }

  /** On the clock of `performance.now`: when `markStale` has something to mark, unless calls succeed. */
  get staleAtMs(): number {
    const fresh = [...this.#parts].filter(([part, { stale }]) => !stale && this.#isShown(part));
    return Math.min(...fresh.map(([, { failingSinceMs }]) => failingSinceMs + this.#staleMs));
  }

  /** Marks the data that is shown though its refresh has failed for too long. */
  markStale(): void {
    const nowMs = performance.now();
    for (const [part, state] of this.#parts) {
      if (state.stale || !this.#isShown(part) || state.failingSinceMs + this.#staleMs > nowMs) continue;
      state.stale = { path: state.path, ageSeconds: Math.round((nowMs - state.atMs) / 1000) };
      this.#onChange(part);
    }
  }

  #onPartFailure(error: Error, part: Part): void {
    const nowMs = performance.now();
    const known = this.#parts.get(part);
    const state = known ?? { path: '', atMs: nowMs, error: null, failingSinceMs: nowMs, stale: null };
    this.#parts.set(part, state);
    state.failingSinceMs = Math.min(state.failingSinceMs, nowMs);
    if (state.error?.constructor === error.constructor) return;
    state.error = error;
    // Subscribers of what is missing see the error.
    if (!this.#isShown(part)) this.#onChange(part);
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

  #errorOf(part: Part): Error | null | undefined {
    return this.#parts.get(part)?.error;
  }

  /** The resource with those wanted relations that are known already, and the fields that have changed. */
  #update(resource: Decoded | null, wanted: readonly string[]) {
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
    this.#changes.add(part === 'bare' ? ALL_FIELDS : `Site.${part}`);
  }
}

/** In place of a field: a change that all subscribers see. */
export const ALL_FIELDS = '';

export function partsOf(include: readonly Relation[]): readonly Part[] {
  return ['bare', ...include];
}

/** Adds to `changed` the fields in which two values of a property differ, of all that its reader reads. */
function compare(property: Property, a: unknown, b: unknown, changed: Set<string>): void {
  if (a === b) return;
  const { element, properties } = property.reader;
  if (element && Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    const ofElement = { ...property, reader: element };
    for (let n = 0; n < a.length; n += 1) compare(ofElement, a[n], b[n], changed);
  } else if (properties && isObject(a) && isObject(b)) {
    for (const one of properties) compare(one, a[one.name], b[one.name], changed);
  } else changed.add(property.field);
}

/** How much of the limit one key may keep. */
const SHARE = 1 / 2;

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

/** Bytes that live queries keep, and how many they may. */
interface MemoryLimit {
  used: number;
  readonly limit: number;
}

/** What live queries keep for one key: a share of the limit at most. */
export class KeyMemory {
  /** How many bytes the key may keep, while the others leave so much. */
  readonly limit: number;
  #used = 0;
  readonly #total: MemoryLimit;

  constructor(total: MemoryLimit) {
    this.limit = Math.floor(total.limit * SHARE);
    this.#total = total;
  }

  /** Replaces `before` bytes by `after`. Changes nothing and returns false where they grow beyond a limit. */
  replace(before: number, after: number): boolean {
    const growth = after - before;
    if (growth > 0 && (this.#total.used + growth > this.#total.limit || this.isFullFor(growth))) return false;
    this.#total.used += growth;
    this.#used += growth;
    return true;
  }

  /** Whether the key itself keeps too much for `growth` more bytes, whatever the others keep. */
  isFullFor(growth: number): boolean {
    return this.#used + growth > this.limit;
  }
}
