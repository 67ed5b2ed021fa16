import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { ConversationId, SiteId } from './input.ts';
import { inPlaceOf, mergedSite, type SiteCall } from './loaders/merged-site.ts';
import { LoadRecorder } from './loaders/recorder.ts';
import { ignoreRejection, mapPromise } from './sync-promise.ts';
import { CallBudget } from './upstream/admission.ts';
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
  site(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null>;
  /** The context of a conversation, or null when there is none. Each is requested once. */
  conversationContext(id: ConversationId, field?: GraphQLResolveInfo): Promise<ConversationContext | null>;
  /** One health call, however often it is loaded. */
  health(field?: GraphQLResolveInfo): Promise<Health>;
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
  /** Records the calls and the `field` of each load from now on, for the report of the operation; the same recorder each time. */
  record(): LoadRecorder | undefined;
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
  #recorder: LoadRecorder | undefined;
  #sites: SiteLoader | undefined;
  #contexts: Map<ConversationId, Promise<ConversationContext | null>> | undefined;
  #health: Promise<Health> | undefined;

  constructor(
    client: UpstreamClient,
    { apiKey, keyHash, signal, request }: Caller,
    maxUpstreamCalls: number,
  ) {
    const budget = new CallBudget(maxUpstreamCalls);
    const report = (call: UpstreamCall, startedAtMs: number) => {
      this.calls.push(call);
      this.#recorder?.onCall(call, startedAtMs);
    };
    this.budget = budget;
    this.#client = client;
    this.#caller = { apiKey, keyHash, signal, request, report, budget };
  }

  record(): LoadRecorder {
    this.#recorder ??= new LoadRecorder();
    return this.#recorder;
  }

  site(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null> {
    this.loadCount += 1;
    this.#sites ??= new SiteLoader(this.#client, this.#caller, this.#recorder);
    return this.mergesTick
      ? this.#sites.loadWithTick(id, include, field)
      : this.#sites.load(id, include, field);
  }

  conversationContext(id: ConversationId, field?: GraphQLResolveInfo): Promise<ConversationContext | null> {
    this.loadCount += 1;
    this.#recorder?.onLoad({ kind: 'conversation', id }, [], field);
    this.#contexts ??= new Map();
    const context = this.#contexts.get(id) ?? this.#client.getConversationContext(this.#caller, id);
    this.#contexts.set(id, context);
    return context;
  }

  health(field?: GraphQLResolveInfo): Promise<Health> {
    this.loadCount += 1;
    this.#recorder?.onLoad({ kind: 'health', id: null }, [], field);
    this.#health ??= this.#client.getHealth(this.#caller);
    return this.#health;
  }
}

interface SiteLoad {
  id: SiteId;
  include: readonly Relation[];
  field: GraphQLResolveInfo | undefined;
}

/** DataLoader settles a batch all at once; with a promise in a box each load settles by itself. */
interface Boxed<T> {
  promise: Promise<T>;
}

/** Loads sites: requests no relation of a site twice. */
class SiteLoader {
  readonly #client: UpstreamClient;
  readonly #caller: Caller;
  readonly #recorder: LoadRecorder | undefined;
  readonly #calls = new Map<SiteId, SiteCall[]>();
  #batch: DataLoader<SiteLoad, Boxed<Site | null>> | undefined;

  constructor(client: UpstreamClient, caller: Caller, recorder: LoadRecorder | undefined) {
    this.#client = client;
    this.#caller = caller;
    this.#recorder = recorder;
  }

  /** Requests what no call returns yet, now. */
  load(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null> {
    this.#request(id, include);
    const calls = this.#calls.get(id) ?? [];
    if (this.#recorder) {
      for (const call of callsFor(calls, include)) {
        this.#recorder.onLoad({ kind: 'site', id }, call.include, field);
      }
    }
    return siteFrom(calls, include);
  }

  /** The loads of a tick come as one batch, in which each site is requested once, with the union of the relations. */
  loadWithTick(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null> {
    // Its own cache is off: two loads of one site may differ in their relations.
    this.#batch ??= new DataLoader(async (loads) => this.#loadBatch(loads), { cache: false });
    return this.#batch.load({ id, include, field }).then(unboxed);
  }

  #loadBatch(loads: readonly SiteLoad[]): Boxed<Site | null>[] {
    for (const [id, wanted] of unionsOf(loads)) this.#request(id, wanted);
    return loads.map(({ id, include, field }) => ({ promise: this.load(id, include, field) }));
  }

  #request(id: SiteId, wanted: readonly Relation[]): void {
    const known = this.#calls.get(id);
    const missing = known ? missingIn(known, wanted) : wanted;
    if (known && missing.length === 0) return;
    if (missing.length === 0) this.#getBare(id);
    else this.#add(id, { include: missing, promise: this.#getWith(id, missing) });
  }

  #add(id: SiteId, call: SiteCall): void {
    // A failure that nothing awaits must not end the process.
    ignoreRejection(call.promise);
    const known = this.#calls.get(id);
    if (known) known.push(call);
    else this.#calls.set(id, [call]);
  }

  #getWith(id: SiteId, include: readonly Relation[]): Promise<Site | null> {
    return mapPromise(this.#client.getSite(this.#caller, id, include), same, (failure) => {
      if (!mayBeCausedByInclude(failure)) throw failure;
      this.#recorder?.onDegraded(id, include);
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
    const known = this.#calls.get(id)?.find(({ include }) => include.length === 0);
    if (known) return known.promise;
    const promise = this.#client.getSite(this.#caller, id, []);
    this.#add(id, { include: [], promise });
    return promise;
  }
}

function same<T>(value: T): T {
  return value;
}

function unboxed<T>({ promise }: Boxed<T>): Promise<T> {
  return promise;
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
  const whole = wholeCall(calls, include);
  return whole ? whole.promise : mergedSite(callsFor(calls, include));
}

/** The first call that returns all of these relations. */
function wholeCall(calls: readonly SiteCall[], include: readonly Relation[]): SiteCall | undefined {
  return calls.find((call) => include.every((relation) => returns(call, relation)));
}

/** The calls from which a site with these relations is taken. */
function callsFor(calls: readonly SiteCall[], include: readonly Relation[]): readonly SiteCall[] {
  const whole = wholeCall(calls, include);
  return whole ? [whole] : calls.filter((call) => include.some((relation) => returns(call, relation)));
}

function missingIn(known: readonly SiteCall[], wanted: readonly Relation[]): readonly Relation[] {
  return wanted.filter((relation) => !known.some((call) => returns(call, relation)));
}

function returns(call: SiteCall, relation: Relation): boolean {
  return call.include.includes(relation);
}
