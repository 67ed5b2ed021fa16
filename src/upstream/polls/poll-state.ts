import { hash } from 'node:crypto';
import { parse } from '../decoding/decoding.ts';
import { UpstreamForbidden, UpstreamPollLimit, UpstreamRateLimited } from '../errors.ts';
import type { Validator } from '../layer.ts';
import { type Relation, relations } from '../resources.ts';
import type { Target } from '../targets.ts';
import type { KeyMemory } from './memory-limit.ts';

/** What a poll is of: the target of a call for these relations. */
export type TargetFor = (include: readonly Relation[]) => Target;

/** The response that is shown. */
interface Kept {
  /** Null: a 404. */
  body: Buffer | null;
  digest: string;
  include: readonly Relation[];
  /** The path of the call that returned it. */
  path: string;
  etag: string | undefined;
  atMs: number;
}

/** The latest calls fail, and since when. */
interface Failure {
  error: Error;
  /** The relations that they requested. */
  include: readonly Relation[];
  sinceMs: number;
}

/** Data whose refresh fails, as `extensions.stale` lists it. */
export interface StaleRead {
  path: string;
  ageSeconds: number;
}

/** What the calls of one poll have returned so far, and what its readers see of that. Times in milliseconds. */
export class PollState {
  /** Changes whenever a reader may see something else than before. */
  version = 0;
  /** How many calls have ended. */
  attempts = 0;
  /** Set where the data is shown though its refresh has failed for too long. */
  stale: StaleRead | null = null;
  readonly #memory: KeyMemory;
  readonly #staleMs: number;
  #kept: Kept | null = null;
  #failure: Failure | null = null;
  /** The number of the call that got 401 or 403. */
  #forbiddenAt: number | null = null;

  constructor(memory: KeyMemory, staleMs: number) {
    this.#memory = memory;
    this.#staleMs = staleMs;
  }

  get isForbidden(): boolean {
    return this.#forbiddenAt !== null;
  }

  /** The relations of the data that is shown; all of them for a resource that does not exist. */
  get include(): readonly Relation[] {
    return this.#kept?.include ?? [];
  }

  /** For a call of this path. */
  validatorOf(path: string): Validator | null {
    const { body = null, etag, path: keptPath } = this.#kept ?? {};
    return body && etag !== undefined && path === keptPath ? { etag, body } : null;
  }

  /** Whether `read` has an outcome for these relations: data, or a failure of a later call than the first `since` ones. */
  isSettled(include: readonly Relation[], since: number): boolean {
    if (this.#forbiddenAt !== null) return this.#forbiddenAt > since;
    if (this.#kept && covers(this.#kept.include, include)) return true;
    const failure = this.#failure;
    return failure !== null && covers(failure.include, include) && (since < 0 || this.attempts > since);
  }

  /**
   * The resource with these relations, in objects of the reader's own; null for a 404. A relation that could not be loaded is
   * the error in its place. @throws what the call failed with
   */
  read(include: readonly Relation[], targetFor: TargetFor): unknown {
    if (this.isForbidden) throw new UpstreamForbidden();
    const kept = this.#kept;
    if (!kept) throw this.#failure?.error;
    if (kept.body === null) return null;
    const present = include.filter((relation) => kept.include.includes(relation));
    const resource = targetFor(present).fromJson?.(parse(kept.body), noop) as Record<string, unknown>;
    for (const relation of include) {
      if (!present.includes(relation)) resource[relation] = this.#failure?.error ?? null;
    }
    return resource;
  }

  /** Takes a response with these relations: `body` is null for a 404. Returns whether the data differs from before. */
  onResponse(
    body: Buffer | null,
    include: readonly Relation[],
    path: string,
    etag: string | undefined,
  ): boolean {
    const kept = this.#kept;
    const digest = body === null ? '' : body === kept?.body ? kept.digest : hash('sha256', body);
    if (!this.#memory.replace(kept?.body?.length ?? 0, body?.length ?? 0)) {
      this.onFailure(new UpstreamPollLimit(this.#memory.limit, 'bytes'), include);
      return false;
    }
    this.attempts += 1;
    const isChanged = kept?.digest !== digest;
    const wasVisible = this.stale !== null || this.isForbidden || !covers(this.include, include);
    const nextInclude = body === null ? relations : include;
    const own = body === kept?.body ? body : ownCopy(body);
    this.#kept = { body: own, digest, include: nextInclude, path, etag, atMs: performance.now() };
    if (this.#failure && covers(nextInclude, this.#failure.include)) this.#failure = null;
    this.#forbiddenAt = null;
    this.stale = null;
    if (isChanged || wasVisible) this.version += 1;
    return isChanged && kept !== null;
  }

  /** A failed call for these relations: what is kept is still shown. */
  onFailure(error: Error, include: readonly Relation[]): void {
    this.attempts += 1;
    const kept = this.#kept;
    const isShown = kept !== null && covers(kept.include, include);
    // A reader has had the call made again: the poll goes on.
    if (this.isForbidden) this.version += 1;
    this.#forbiddenAt = null;
    // The calls wait until the limit allows them.
    if (isShown && error instanceof UpstreamRateLimited) return;
    const before = this.#failure;
    const nowMs = performance.now();
    const isSame = before?.error.constructor === error.constructor && covers(before.include, include);
    this.#failure = isSame ? before : { error, include, sinceMs: before?.sinceMs ?? nowMs };
    // Readers of what is missing see the error. It stays the first of its kind, so that their results stay equal.
    if (!isSame && !isShown) this.version += 1;
    if (!isShown || this.stale || nowMs - this.#failure.sinceMs < this.#staleMs) return;
    this.stale = { path: kept.path, ageSeconds: Math.round((nowMs - kept.atMs) / 1000) };
    this.version += 1;
  }

  /** A 401 or 403: what was kept is forgotten. */
  onForbidden(): void {
    this.attempts += 1;
    this.forget();
    if (this.#forbiddenAt === null) this.version += 1;
    this.#forbiddenAt = this.attempts;
  }

  forget(): void {
    this.#memory.replace(this.#kept?.body?.length ?? 0, 0);
    this.#kept = null;
    this.#failure = null;
    this.stale = null;
  }
}

function covers(include: readonly Relation[], wanted: readonly Relation[]): boolean {
  return wanted.every((relation) => include.includes(relation));
}

/** A small body is a slice of a larger block, which it would retain. */
function ownCopy(body: Buffer | null): Buffer | null {
  if (body === null) return null;
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}

function noop(): void {}
