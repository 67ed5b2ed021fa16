import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { ConversationId, SiteId } from './input.ts';
import { ignoreRejection, mapPromise } from './sync-promise.ts';
import { CallBudget, type Caller, type UpstreamCall } from './upstream/caller.ts';
import type { UpstreamClient } from './upstream/client.ts';
import { mayBeCausedByInclude } from './upstream/errors.ts';
import type { Notices } from './upstream/notices.ts';
import {
  type ConversationContext,
  type Health,
  pathOf,
  type Relation,
  type Site,
} from './upstream/resources.ts';

/**
 * What the resolvers of one operation load, and their only way to the REST API. Made for one operation and
 * one caller, whose key cannot be read from it.
 */
export interface Loaders {
  /**
   * The site with at least the relations of `include`, or null when there is none. The loads of one tick are
   * merged: each site is requested once, with the union of the relations. Over the whole operation no
   * relation of a site is requested twice. Where the REST API fails because of the relations, they are the
   * error, in a site that was requested without them.
   */
  site(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null>;
  /** The context of a conversation, or null when there is none. Each is requested once. */
  conversationContext(id: ConversationId, field?: GraphQLResolveInfo): Promise<ConversationContext | null>;
  /** One health call, however often it is loaded. */
  health(field?: GraphQLResolveInfo): Promise<Health>;
  /** The REST calls that were needed and have ended so far, in the order of their ends. */
  readonly calls: readonly UpstreamCall[];
  /** What the REST API said in the responses to its own calls so far; null: nothing. */
  readonly notices: Notices | null;
  /** How many REST calls were sent so far, and how many may be. */
  readonly budget: { readonly used: number; readonly limit: number };
  /** How many loads there were so far; those that exceed the calls were merged. */
  loadCount: number;
  /**
   * Whether the loads of sites wait for the end of their tick, to be merged. False: no later load can enlarge
   * an earlier one, so that each is sent at once.
   */
  mergesTick: boolean;
  /** Records the calls and the `field` of each load from now on, for the report. Always the same recorder. */
  record(): LoadRecorder | undefined;
}

/** A REST call that was made for a site, and the relations that it returns. */
interface SiteCall {
  include: readonly Relation[];
  promise: Promise<Site | null>;
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

/** A class, because one is made for each operation; most operations need one of its parts. */
export class OperationLoaders implements Loaders {
  readonly calls: UpstreamCall[] = [];
  notices: Notices | null = null;
  loadCount = 0;
  mergesTick = true;
  readonly budget: CallBudget;
  readonly #client: UpstreamClient;
  readonly #caller: Caller;
  #recorder: LoadRecorder | undefined;
  /** The calls for each site; no relation is requested twice. */
  #sites: Map<SiteId, SiteCall[]> | undefined;
  #batch: DataLoader<SiteLoad, Boxed<Site | null>> | undefined;
  #contexts: Map<ConversationId, Promise<ConversationContext | null>> | undefined;
  #health: Promise<Health> | undefined;

  /** `maxUpstreamCalls`: how many REST calls may be sent; further ones fail with UpstreamBudgetExceeded. */
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
    const onNotices = (notices: Notices) => {
      this.notices = this.notices?.with(notices) ?? notices;
    };
    this.budget = budget;
    this.#client = client;
    this.#caller = { apiKey, keyHash, signal, request, report, onNotices, budget };
  }

  record(): LoadRecorder {
    this.#recorder ??= new LoadRecorder();
    return this.#recorder;
  }

  site(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null> {
    this.loadCount += 1;
    if (!this.mergesTick) return this.#loadSite(id, include, field);
    // The loads of a tick come as one batch. Its own cache is off: two loads of one site may differ in their
    // relations.
    this.#batch ??= new DataLoader(async (loads) => this.#loadBatch(loads), { cache: false });
    return this.#batch.load({ id, include, field }).then(({ promise }) => promise);
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

  /** Requests each site once, with the union of the relations. */
  #loadBatch(loads: readonly SiteLoad[]): Boxed<Site | null>[] {
    for (const [id, wanted] of unionsOf(loads)) this.#requestSite(id, wanted);
    return loads.map(({ id, include, field }) => ({ promise: this.#loadSite(id, include, field) }));
  }

  /**
   * The site from the calls that return it. Where one call returns all wanted relations, its site is taken as
   * it is, and does not wait for a later call with others; else the sites of several calls are merged.
   */
  #loadSite(
    id: SiteId,
    include: readonly Relation[],
    field: GraphQLResolveInfo | undefined,
  ): Promise<Site | null> {
    const calls = callsFor(this.#requestSite(id, include), include);
    for (const call of calls) this.#recorder?.onLoad({ kind: 'site', id }, call.include, field);
    const [only] = calls;
    return only && calls.length === 1 ? only.promise : mergedSite(calls);
  }

  /** Requests what no call returns yet, now. Returns the calls for the site. */
  #requestSite(id: SiteId, wanted: readonly Relation[]): readonly SiteCall[] {
    this.#sites ??= new Map();
    const calls = this.#sites.get(id) ?? [];
    this.#sites.set(id, calls);
    const isMissing = (relation: Relation) => !calls.some((call) => returns(call, relation));
    const missing = calls.length > 0 ? wanted.filter(isMissing) : wanted;
    if (missing.length > 0) {
      const promise = this.#client.getSite(this.#caller, id, missing);
      add(
        calls,
        missing,
        mapPromise(promise, same, (failure) => this.#bareSite(id, missing, failure)),
      );
    } else if (calls.length === 0) this.#getBareSite(id, calls);
    return calls;
  }

  /** The site without the relations that may have caused the failure, which is in their place. */
  #bareSite(id: SiteId, include: readonly Relation[], failure: unknown): Promise<Site | null> {
    if (!mayBeCausedByInclude(failure)) throw failure;
    this.#recorder?.onDegraded(id, include);
    return mapPromise(
      this.#getBareSite(id, this.#sites?.get(id) ?? []),
      (site) => site && { ...site, ...inPlaceOf(include, failure) },
      () => {
        // Report the first failure, not that of the second request.
        throw failure;
      },
    );
  }

  /** At most one call in the whole operation, for however many relations. */
  #getBareSite(id: SiteId, calls: SiteCall[]): Promise<Site | null> {
    const known = calls.find(({ include }) => include.length === 0);
    return known?.promise ?? add(calls, [], this.#client.getSite(this.#caller, id, []));
  }
}

function add(
  calls: SiteCall[],
  include: readonly Relation[],
  promise: Promise<Site | null>,
): Promise<Site | null> {
  // A failure that nothing awaits must not end the process.
  ignoreRejection(promise);
  calls.push({ include, promise });
  return promise;
}

function same<T>(value: T): T {
  return value;
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

/** The calls to take these relations from: the first that returns all of them, or each that returns any. */
function callsFor(calls: readonly SiteCall[], include: readonly Relation[]): readonly SiteCall[] {
  const whole = calls.find((call) => include.every((relation) => returns(call, relation)));
  return whole ? [whole] : calls.filter((call) => include.some((relation) => returns(call, relation)));
}

function returns(call: SiteCall, relation: Relation): boolean {
  return call.include.includes(relation);
}

/** The site of several calls, with the relations of all of them; null where it does not exist. */
async function mergedSite(calls: readonly SiteCall[]): Promise<Site | null> {
  const outcomes = await Promise.allSettled(calls.map((call) => call.promise));
  const sites = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (sites.includes(null)) return null;
  const pieces = outcomes.map((outcome, n) =>
    outcome.status === 'fulfilled' ? outcome.value : inPlaceOf(calls[n]?.include ?? [], outcome.reason),
  );
  // A failed call costs its own relations, as long as another has returned the site.
  return sites.length > 0 ? Object.assign({}, ...pieces) : (calls[0]?.promise ?? null);
}

/** The failure in the place of each relation. */
function inPlaceOf(include: readonly Relation[], failure: unknown): object {
  return Object.fromEntries(include.map((relation) => [relation, failure]));
}

type Resource = Parameters<typeof pathOf>[0];

/** A REST call that has ended, and when it began (`performance.now()`). */
interface RecordedCall {
  call: UpstreamCall;
  startedAtMs: number;
}

/** The fields that needed a REST call so far, and the relations that it returns. */
interface Demand {
  include: readonly Relation[];
  fields: Set<GraphQLResolveInfo>;
}

const noDemand: Demand = { include: [], fields: new Set() };

/**
 * Records the REST calls of one operation and the fields that needed each, for its report. Within an
 * operation a path is requested once, retries apart, so that the path identifies the call.
 */
export class LoadRecorder {
  readonly startedAtMs = performance.now();
  /** In the order of their ends. */
  readonly calls: RecordedCall[] = [];
  readonly #demands = new Map<string, Demand>();

  /** Called when a field needs the call for this resource and these relations. */
  onLoad(resource: Resource, include: readonly Relation[], field: GraphQLResolveInfo | undefined): void {
    const path = pathOf(resource, include);
    const demand = this.#demands.get(path) ?? { include, fields: new Set() };
    this.#demands.set(path, demand);
    if (field) demand.fields.add(field);
  }

  /** Called when a site is requested again without these relations: for the same fields. */
  onDegraded(id: string, include: readonly Relation[]): void {
    const site: Resource = { kind: 'site', id };
    for (const field of this.demandFor(pathOf(site, include)).fields) this.onLoad(site, [], field);
  }

  onCall(call: UpstreamCall, startedAtMs: number): void {
    this.calls.push({ call, startedAtMs });
  }

  demandFor(path: string): Demand {
    return this.#demands.get(path) ?? noDemand;
  }
}
