import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { CallBudget, type Caller, type UpstreamCall } from '../rest/caller.ts';
import type { UpstreamClient } from '../rest/client.ts';
import { mayBeCausedByInclude } from '../rest/errors.ts';
import type { Health } from '../rest/health.ts';
import { combined, type Notices } from '../rest/notices.ts';
import type { ConversationContext, Relation, Site } from '../rest/resources.ts';
import { mapPromise, same } from '../rest/sync-promise.ts';
import type { ResourceId } from '../rest/targets.ts';
import type { ConversationId, SiteId } from './input.ts';

/** The loaders of one operation: its resolvers have no other way to the REST API. */
export type Loaders = Pick<OperationCalls, 'site' | 'conversationContext' | 'health'>;

export interface CallObserver {
  /** A field needs the call for this resource with these relations, of which it loads one or more, or none. */
  onDemand?(resource: ResourceId, include: readonly Relation[], field: GraphQLResolveInfo | undefined): void;
  /** A site is requested again without these relations, for the same fields. */
  onDegraded?(resource: ResourceId, include: readonly Relation[]): void;
  /** A call is about to be sent. Returns the `traceparent` to send along, if any. Of one observer alone. */
  onSend?(path: string): string | undefined;
  /** A call has ended, which began at `startedAtMs` (`performance.now()`). */
  onCall?(call: UpstreamCall, startedAtMs: number): void;
}

interface SiteCall {
  include: readonly Relation[];
  promise: Promise<Site | null>;
}

interface SiteLoad {
  id: SiteId;
  include: readonly Relation[];
  field: GraphQLResolveInfo | undefined;
}

const none: never[] = [];

/** The REST calls of one operation for one caller. Each is made once, in however many executions it is needed. */
export class OperationCalls {
  /** The calls that were needed and have ended so far, as they finished. */
  readonly ended: UpstreamCall[] = [];
  /** The notices of the responses to its own calls so far; null: none. */
  notices: Notices | null = null;
  readonly budget: CallBudget;
  /** False while no load can enlarge another, so that none waits for others of its tick. */
  merges = true;
  readonly #client: UpstreamClient;
  #caller: Caller;
  #observers: readonly CallObserver[] = none;
  #batch: DataLoader<SiteLoad, Promise<Site | null>> | undefined;
  /** The calls for each site; no relation is requested twice. */
  #sites: Map<SiteId, SiteCall[]> | undefined;
  #contexts: Map<ConversationId, Promise<ConversationContext | null>> | undefined;
  #health: Promise<Health> | undefined;

  /** `maxUpstreamCalls`: how many REST calls may be sent; further ones fail with UpstreamBudgetExceeded. */
  constructor(client: UpstreamClient, caller: Caller, maxUpstreamCalls: number) {
    this.budget = new CallBudget(maxUpstreamCalls);
    this.#client = client;
    const { apiKey, keyHash, signal, request } = caller;
    this.#caller = {
      apiKey,
      keyHash,
      signal,
      request,
      budget: this.budget,
      report: (call, startedAtMs) => this.#onCall(call, startedAtMs),
      onNotices: (notices) => {
        this.notices = combined(this.notices, notices);
      },
    };
  }

  /** Forgets sites and conversations, once there is a response: an old object retains what it has (decision 18). */
  end(): void {
    this.#sites = undefined;
    this.#contexts = undefined;
  }

  observe(observer: CallObserver): void {
    this.#observers = [...this.#observers, observer];
    if (observer.onSend) this.#caller = { ...this.#caller, onSend: (path) => observer.onSend?.(path) };
  }

  /**
   * The site with at least the relations of `include`. The loads of a batch are merged: each site is requested once,
   * with the union of the relations, and no relation twice. Relations that made a call fail are the error.
   */
  site(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null> {
    const load: SiteLoad = { id, include, field };
    // Without merging it bypasses DataLoader, whose batch of one costs (docs/decisions/26-dataloader-merges.md).
    return this.merges ? this.#batchSite(load) : this.#loadSite(load);
  }

  conversationContext(id: ConversationId, field?: GraphQLResolveInfo): Promise<ConversationContext | null> {
    this.#onDemand({ kind: 'conversation', id }, none, field);
    this.#contexts ??= new Map();
    const context = this.#contexts.get(id) ?? this.#client.getConversationContext(this.#caller, id);
    this.#contexts.set(id, context);
    return context;
  }

  health(field?: GraphQLResolveInfo): Promise<Health> {
    this.#onDemand({ kind: 'health', id: null }, none, field);
    this.#health ??= this.#client.getHealth(this.#caller);
    return this.#health;
  }

  /** The cache of the DataLoader is off: two loads of one site may differ in their relations. */
  #batchSite(load: SiteLoad): Promise<Site | null> {
    this.#batch ??= new DataLoader(
      async (loads) => {
        for (const [id, wanted] of unionsOf(loads)) this.#callsFor(id, wanted);
        // By their promises, loads settle one by one.
        return loads.map((load) => this.#loadSite(load));
      },
      { cache: false },
    );
    return this.#batch.load(load).then(same);
  }

  /** The site of the one call that returns all wanted relations; else the sites of several calls are merged. */
  #loadSite({ id, include, field }: SiteLoad): Promise<Site | null> {
    const calls = callsWith(this.#callsFor(id, include), include);
    if (this.#observers.length > 0)
      for (const call of calls) this.#onDemand({ kind: 'site', id }, call.include, field);
    const [only] = calls;
    return only && calls.length === 1 ? only.promise : mergedSite(calls);
  }

  /** The calls for a site. Requests now the relations that no call returns yet. */
  #callsFor(id: SiteId, wanted: readonly Relation[]): readonly SiteCall[] {
    this.#sites ??= new Map();
    const calls = this.#sites.get(id) ?? [];
    this.#sites.set(id, calls);
    const isMissing = (relation: Relation) => !calls.some(({ include }) => include.includes(relation));
    const missing = calls.length > 0 ? wanted.filter(isMissing) : wanted;
    if (missing.length > 0 || calls.length === 0) this.#request(id, calls, missing);
    return calls;
  }

  /** Adds a call for a site with these relations. If they may have made it fail, it is requested without them. */
  #request(id: SiteId, calls: SiteCall[], include: readonly Relation[]): Promise<Site | null> {
    const site = this.#client.getSite(this.#caller, id, include);
    const onError = (failure: unknown) => this.#withoutRelations(id, calls, include, failure);
    const promise = include.length > 0 ? mapPromise(site, same, onError) : site;
    calls.push({ include, promise });
    return promise;
  }

  /** The site without the relations that may have caused the failure, which is in their place. */
  #withoutRelations(
    id: SiteId,
    calls: SiteCall[],
    include: readonly Relation[],
    failure: unknown,
  ): Promise<Site | null> {
    if (!mayBeCausedByInclude(failure)) throw failure;
    for (const observer of this.#observers) observer.onDegraded?.({ kind: 'site', id }, include);
    // At most one such call in the whole operation, for however many relations.
    const known = calls.find((call) => call.include.length === 0);
    return mapPromise(
      known?.promise ?? this.#request(id, calls, []),
      (site) => site && { ...site, ...inPlaceOf(include, failure) },
      () => {
        // Report the first failure, not that of the second request.
        throw failure;
      },
    );
  }

  #onDemand(resource: ResourceId, include: readonly Relation[], field?: GraphQLResolveInfo): void {
    for (const observer of this.#observers) observer.onDemand?.(resource, include, field);
  }

  #onCall(call: UpstreamCall, startedAtMs: number): void {
    this.ended.push(call);
    for (const observer of this.#observers) observer.onCall?.(call, startedAtMs);
  }
}

function unionsOf(loads: readonly SiteLoad[]): Map<SiteId, readonly Relation[]> {
  const unions = new Map<SiteId, readonly Relation[]>();
  for (const { id, include } of loads) {
    const union = unions.get(id);
    unions.set(id, union && union !== include ? [...new Set([...union, ...include])] : include);
  }
  return unions;
}

/** The calls to take these relations from: the first that returns all of them, or each that returns any. */
function callsWith(calls: readonly SiteCall[], include: readonly Relation[]): readonly SiteCall[] {
  const whole = calls.find((call) => include.every((relation) => call.include.includes(relation)));
  return whole
    ? [whole]
    : calls.filter((call) => include.some((relation) => call.include.includes(relation)));
}

/** The site of several calls, with the relations of all of them; null if it does not exist. */
async function mergedSite(calls: readonly SiteCall[]): Promise<Site | null> {
  const outcomes = await Promise.allSettled(calls.map((call) => call.promise));
  const pieces = outcomes.map((outcome, n) =>
    outcome.status === 'fulfilled' ? outcome.value : inPlaceOf(calls[n]?.include ?? [], outcome.reason),
  );
  if (pieces.includes(null)) return null;
  // A failed call costs its own relations, as long as another has returned the site.
  const isFound = outcomes.some(({ status }) => status === 'fulfilled');
  return isFound ? Object.assign({}, ...pieces) : (calls[0]?.promise ?? null);
}

function inPlaceOf(include: readonly Relation[], failure: unknown): object {
  return Object.fromEntries(include.map((relation) => [relation, failure]));
}
