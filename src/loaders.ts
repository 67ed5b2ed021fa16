import DataLoader from 'dataloader';
import type { ConversationId, SiteId } from './input.ts';
import { ignoreRejection, mapPromise } from './sync-promise.ts';
import { CallBudget } from './upstream/call/call-budget.ts';
import type { Caller, UpstreamCall } from './upstream/caller.ts';
import type { UpstreamClient } from './upstream/client.ts';
import { mayBeCausedByInclude } from './upstream/errors.ts';
import type { ConversationContext, Health, Relation, Site } from './upstream/resources.ts';

/**
 * What the resolvers of one operation load, and their only way to the REST API. Made for one operation and one caller,
 * whose key cannot be read from it.
 */
export interface Loaders {
  /**
   * The site with at least the relations of `include`, or null when there is none. The loads of one tick are merged: each
   * site is requested once, with the union of the relations. Over the whole operation no relation of a site is requested
   * twice. Where the REST API fails because of the relations, they are the error, in a site that was requested without them.
   */
  site(id: SiteId, include: readonly Relation[]): Promise<Site | null>;
  /** The context of a conversation, or null when there is none. Each is requested once. */
  conversationContext(id: ConversationId): Promise<ConversationContext | null>;
  /** One health call, however often it is loaded. */
  health(): Promise<Health>;
  /** The REST calls that were needed and have ended so far, in the order of their ends. */
  readonly calls: readonly UpstreamCall[];
  /** How many REST calls were sent so far, and how many may be. */
  readonly budget: { readonly used: number; readonly limit: number };
  /** How many loads there were so far; those that exceed the calls were merged. */
  readonly loadCount: number;
  /**
   * Whether the loads of sites wait for the end of their tick, to be merged. False: no later load can enlarge an earlier
   * one, so that each is sent at once.
   */
  mergesTick: boolean;
}

/** `maxUpstreamCalls`: how many REST calls may be sent; further ones fail with UpstreamBudgetExceeded. */
export function createLoaders(client: UpstreamClient, caller: Caller, maxUpstreamCalls: number): Loaders {
  return new OperationLoaders(client, caller, maxUpstreamCalls);
}

/** A class, because one is made for each operation; most operations need one of its parts. */
class OperationLoaders implements Loaders {
  readonly calls: UpstreamCall[] = [];
  loadCount = 0;
  mergesTick = true;
  readonly budget: CallBudget;
  readonly #client: UpstreamClient;
  readonly #caller: Caller;
  #sites: SiteLoader | undefined;
  #contexts: Map<ConversationId, Promise<ConversationContext | null>> | undefined;
  #health: Promise<Health> | undefined;

  constructor(
    client: UpstreamClient,
    { apiKey, keyHash, signal, request }: Caller,
    maxUpstreamCalls: number,
  ) {
    const budget = new CallBudget(maxUpstreamCalls);
    const report = (call: UpstreamCall) => void this.calls.push(call);
    this.budget = budget;
    this.#client = client;
    this.#caller = { apiKey, keyHash, signal, request, report, budget };
  }

  site(id: SiteId, include: readonly Relation[]): Promise<Site | null> {
    this.loadCount += 1;
    this.#sites ??= new SiteLoader(this.#client, this.#caller);
    return this.mergesTick ? this.#sites.loadWithTick(id, include) : this.#sites.load(id, include);
  }

  conversationContext(id: ConversationId): Promise<ConversationContext | null> {
    this.loadCount += 1;
    this.#contexts ??= new Map();
    const context = this.#contexts.get(id) ?? this.#client.getConversationContext(this.#caller, id);
    this.#contexts.set(id, context);
    return context;
  }

  health(): Promise<Health> {
    this.loadCount += 1;
    this.#health ??= this.#client.getHealth(this.#caller);
    return this.#health;
  }
}

interface SiteLoad {
  id: SiteId;
  include: readonly Relation[];
}

/** DataLoader settles a batch all at once; with a promise in a box each load settles by itself. */
interface Boxed<T> {
  promise: Promise<T>;
}

/** A REST call that was made for a site, and the relations that it returns. */
interface SiteCall {
  include: readonly Relation[];
  promise: Promise<Site | null>;
}

/** Loads sites: requests no relation of a site twice. */
class SiteLoader {
  readonly #client: UpstreamClient;
  readonly #caller: Caller;
  readonly #calls = new Map<SiteId, SiteCall[]>();
  #bareSites: Map<SiteId, Promise<Site | null>> | undefined;
  #batch: DataLoader<SiteLoad, Boxed<Site | null>> | undefined;

  constructor(client: UpstreamClient, caller: Caller) {
    this.#client = client;
    this.#caller = caller;
  }

  /** Requests what no call returns yet, now. */
  load(id: SiteId, include: readonly Relation[]): Promise<Site | null> {
    this.#request(id, include);
    return siteFrom(this.#calls.get(id) ?? [], include);
  }

  /** The loads of a tick come as one batch, in which each site is requested once, with the union of the relations. */
  loadWithTick(id: SiteId, include: readonly Relation[]): Promise<Site | null> {
    // Its own cache is off: two loads of one site may differ in their relations.
    this.#batch ??= new DataLoader(async (loads) => this.#loadBatch(loads), { cache: false });
    return this.#batch.load({ id, include }).then(unboxed);
  }

  #loadBatch(loads: readonly SiteLoad[]): Boxed<Site | null>[] {
    for (const [id, wanted] of unionsOf(loads)) this.#request(id, wanted);
    return loads.map(({ id, include }) => ({ promise: this.load(id, include) }));
  }

  #request(id: SiteId, wanted: readonly Relation[]): void {
    const known = this.#calls.get(id);
    const missing = known ? missingIn(known, wanted) : wanted;
    if (known && missing.length === 0) return;
    const call = { include: missing, promise: this.#get(id, missing) };
    // A failure that nothing awaits must not end the process.
    ignoreRejection(call.promise);
    if (known) known.push(call);
    else this.#calls.set(id, [call]);
  }

  #get(id: SiteId, include: readonly Relation[]): Promise<Site | null> {
    if (include.length === 0) return this.#getBare(id);
    return mapPromise(this.#client.getSite(this.#caller, id, include), same, (failure) => {
      if (!mayBeCausedByInclude(failure)) throw failure;
      return mapPromise(
        this.#getBare(id),
        (site) => site && { ...site, ...inPlaceOf(include, failure) },
        () => {
          // The first request counts.
          throw failure;
        },
      );
    });
  }

  /** At most one call in the whole operation, for however many relations. */
  #getBare(id: SiteId): Promise<Site | null> {
    this.#bareSites ??= new Map();
    const bare = this.#bareSites.get(id) ?? this.#client.getSite(this.#caller, id, []);
    this.#bareSites.set(id, bare);
    return bare;
  }
}

function same<T>(value: T): T {
  return value;
}

function unboxed<T>({ promise }: Boxed<T>): Promise<T> {
  return promise;
}

/** The failure in the place of each relation. */
function inPlaceOf(include: readonly Relation[], failure: unknown): object {
  return Object.fromEntries(include.map((relation) => [relation, failure]));
}

/** The relations that the loads want of each site, together. */
function unionsOf(loads: readonly SiteLoad[]): Map<SiteId, readonly Relation[]> {
  const unions = new Map<SiteId, readonly Relation[]>();
  for (const { id, include } of loads) {
    const union = unions.get(id);
    unions.set(id, union && union !== include ? [...new Set([...union, ...include])] : include);
  }
  return unions;
}

/**
 * The site from the calls that return it. Where one call returns all wanted relations, its site is taken as it is, and
 * does not wait for a later call with others; else the sites of several calls are merged.
 */
function siteFrom(calls: readonly SiteCall[], include: readonly Relation[]): Promise<Site | null> {
  const whole = calls.find((call) => include.every((relation) => returns(call, relation)));
  return whole ? whole.promise : mergedSite(calls, include);
}

async function mergedSite(all: readonly SiteCall[], include: readonly Relation[]): Promise<Site | null> {
  const calls = all.filter((call) => include.some((relation) => returns(call, relation)));
  const outcomes = await Promise.allSettled(calls.map((call) => call.promise));
  const sites = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (sites.includes(null)) return null;
  const pieces = outcomes.map((outcome, n) =>
    outcome.status === 'fulfilled' ? outcome.value : inPlaceOf(calls[n]?.include ?? [], outcome.reason),
  );
  // A failed call costs its own relations, as long as another has returned the site.
  return sites.length > 0 ? Object.assign({}, ...pieces) : (calls[0]?.promise ?? null);
}

function missingIn(known: readonly SiteCall[], wanted: readonly Relation[]): readonly Relation[] {
  return wanted.filter((relation) => !known.some((call) => returns(call, relation)));
}

function returns(call: SiteCall, relation: Relation): boolean {
  return call.include.includes(relation);
}
