import { mayBeCausedByInclude } from '../rest/errors.ts';
import type { Relation, Site } from '../rest/resources.ts';
import { mapPromise, same } from '../rest/sync-promise.ts';
import type { SiteId } from './input.ts';

/** The operation that makes the calls. */
interface Operation {
  getSite(id: SiteId, include: readonly Relation[]): Promise<Site | null>;
  /** The site is requested again without these relations, which may have made their call fail. */
  onDegraded(id: SiteId, include: readonly Relation[]): void;
}

interface SiteCall {
  include: readonly Relation[];
  promise: Promise<Site | null>;
}

/**
 * The REST calls of one operation for one site. The loads of one batch share one call; a relation that was requested needs
 * no other. If a call with relations fails by a 5xx or a timeout, the site is requested once more without them.
 */
export class SiteCalls {
  readonly #operation: Operation;
  readonly #id: SiteId;
  #calls: readonly SiteCall[] = [];
  #wanted: readonly Relation[] | undefined;

  constructor(operation: Operation, id: SiteId) {
    this.#operation = operation;
    this.#id = id;
  }

  /** Adds relations to those that the next `load` requests, and returns all of them. */
  want(include: readonly Relation[]): readonly Relation[] {
    const wanted = this.#wanted ?? include;
    // The loads of one selection pass the same array, and need no copy.
    this.#wanted = wanted === include ? include : [...new Set([...wanted, ...include])];
    return this.#wanted;
  }

  /** The calls to take these relations from. Makes one first, for all wanted relations that no call returns yet. */
  load(include: readonly Relation[]): readonly SiteCall[] {
    const wanted = this.want(include);
    this.#wanted = undefined;
    const missing = wanted.filter((one) => !this.#calls.some(({ include }) => include.includes(one)));
    if (this.#calls.length === 0 || missing.length > 0) {
      const site = this.#operation.getSite(this.#id, missing);
      const onError = (failure: unknown) => this.#withoutRelations(missing, failure);
      // It may fail at once: then the call without relations comes before it.
      this.#add(missing, missing.length > 0 ? mapPromise(site, same, onError) : site);
    }
    if (this.#calls.length === 1) return this.#calls;
    const isOf = (call: SiteCall) => (relation: Relation) => call.include.includes(relation);
    const whole = this.#calls.find((call) => include.every(isOf(call)));
    return whole ? [whole] : this.#calls.filter((call) => include.some(isOf(call)));
  }

  #add(include: readonly Relation[], promise: SiteCall['promise']): SiteCall {
    const call = { include, promise };
    this.#calls = this.#calls.length > 0 ? [...this.#calls, call] : [call];
    return call;
  }

  /** The site, with the failure in place of the relations that may have caused it. */
  #withoutRelations(include: readonly Relation[], failure: unknown): Promise<Site | null> {
    if (!mayBeCausedByInclude(failure)) throw failure;
    this.#operation.onDegraded(this.#id, include);
    // One call without relations is enough for a site, however many relations have failed.
    const known = this.#calls.find((call) => call.include.length === 0);
    const bare = known ?? this.#add([], this.#operation.getSite(this.#id, []));
    return mapPromise(
      bare.promise,
      (site) => site && { ...site, ...inPlaceOf(include, failure) },
      () => {
        // Report the first failure, not that of the second request.
        throw failure;
      },
    );
  }
}

/** The site of several calls, with the relations of all of them; null if it does not exist. */
export async function mergedSite(calls: readonly SiteCall[]): Promise<Site | null> {
  const outcomes = await Promise.allSettled(calls.map((call) => call.promise));
  const sitesOrFailures = outcomes.map((outcome, n) =>
    outcome.status === 'fulfilled' ? outcome.value : inPlaceOf(calls[n]?.include ?? [], outcome.reason),
  );
  if (sitesOrFailures.includes(null)) return null;
  // A failed call costs its own relations if another has returned the site; else the first failure is thrown.
  const isFound = outcomes.some(({ status }) => status === 'fulfilled');
  return isFound ? Object.assign({}, ...sitesOrFailures) : (calls[0]?.promise ?? null);
}

function inPlaceOf(include: readonly Relation[], failure: unknown): object {
  return Object.fromEntries(include.map((relation) => [relation, failure]));
}
