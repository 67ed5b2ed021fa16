import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { CallBudget, type Caller, type UpstreamCall } from '../rest/caller.ts';
import type { UpstreamClient } from '../rest/client.ts';
import type { Health } from '../rest/health.ts';
import { combined, type Notices } from '../rest/notices.ts';
import type { ConversationContext, Relation, Site } from '../rest/resources.ts';
import { same } from '../rest/sync-promise.ts';
import type { ResourceId } from '../rest/targets.ts';
import type { ConversationId, SiteId } from './input.ts';
import { mergedSite, SiteCalls } from './site-calls.ts';

/** The loaders of one operation: its resolvers have no other way to the REST API. */
export type Loaders = Pick<OperationCalls, 'site' | 'conversationContext' | 'health'>;

export interface CallObserver {
  /** A field reads from the call for this resource with `include`; it may need only some of these relations. */
  onDemand?(resource: ResourceId, include: readonly Relation[], field: GraphQLResolveInfo | undefined): void;
  /** A site is requested again without these relations, for the same fields. */
  onDegraded?(resource: ResourceId, include: readonly Relation[]): void;
  /** A call is about to be sent. Returns the `traceparent` to send along, if any; of several observers the last one counts. */
  onSend?(path: string): string | undefined;
  /** A call has ended, which began at `startedAtMs` (`performance.now()`). */
  onCall?(call: UpstreamCall, startedAtMs: number): void;
}

type SiteLoad = Parameters<OperationCalls['site']>;

const none: never[] = [];

/** The REST calls of one operation for one caller. Each is made once, also if the full pipeline takes over from a lane. */
export class OperationCalls {
  /** The calls that were needed and have ended so far, as they finished. */
  readonly ended: UpstreamCall[] = [];
  /** The notices (quota, deprecation) of the responses to its calls so far, the joined ones too; null: none. */
  notices: Notices | null = null;
  readonly budget: CallBudget;
  /** The fast path sets it to false if no load can enlarge another: then none waits for the others of its tick. */
  merges = true;
  readonly #client: UpstreamClient;
  #caller: Caller;
  #observers: readonly CallObserver[] = none;
  #batch: DataLoader<SiteLoad, Promise<Site | null>> | undefined;
  #sites: Map<SiteId, SiteCalls> | undefined;
  #contexts: Map<ConversationId, Promise<ConversationContext | null>> | undefined;
  #health: Promise<Health> | undefined;

  /** `maxUpstreamCalls`: how many REST calls may be sent; further ones fail with UpstreamBudgetExceeded. */
  constructor(client: UpstreamClient, caller: Caller, maxUpstreamCalls: number) {
    this.budget = new CallBudget(maxUpstreamCalls);
    this.#client = client;
    // A spread, with properties after it, would take a seventh of an operation on Node 20.
    const { key, signal, request } = caller;
    this.#caller = {
      key,
      signal,
      request,
      budget: this.budget,
      report: (call, startedAtMs) => this.#onCall(call, startedAtMs),
      onNotices: (notices) => {
        this.notices = combined(this.notices, notices);
      },
    };
  }

  /** Forgets sites and conversations once there is a response. Node may keep this object for long (decision 18). */
  end(): void {
    this.#sites = undefined;
    this.#contexts = undefined;
  }

  observe(observer: CallObserver): void {
    this.#observers = [...this.#observers, observer];
    if (observer.onSend) this.#caller = { ...this.#caller, onSend: (path) => observer.onSend?.(path) };
  }

  /**
   * The site with at least the relations of `include`. Within a batch each site is requested once, with the union of
   * the relations. A relation that may have made its call fail is the error of that call.
   */
  site(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null> {
    // Even a batch of one takes time in DataLoader (docs/decisions/26-dataloader-merges.md).
    return this.merges ? this.#batchSite([id, include, field]) : this.#loadSite(id, include, field);
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
        // The first load of a site requests what all of them want; then each takes its calls.
        for (const [id, include] of loads) this.#callsFor(id).want(include);
        // A batch of promises, so that each load settles when its own call does.
        return loads.map(([id, include, field]) => this.#loadSite(id, include, field));
      },
      { cache: false },
    );
    // A promise of a promise settles as the inner one: `then` is for TypeScript alone.
    return this.#batch.load(load).then(same);
  }

  #loadSite(id: SiteId, include: readonly Relation[], field?: GraphQLResolveInfo): Promise<Site | null> {
    const calls = this.#callsFor(id).load(include);
    if (this.#observers.length > 0)
      for (const call of calls) this.#onDemand({ kind: 'site', id }, call.include, field);
    const [only] = calls;
    return only && calls.length === 1 ? only.promise : mergedSite(calls);
  }

  #callsFor(id: SiteId): SiteCalls {
    this.#sites ??= new Map();
    const calls = this.#sites.get(id) ?? new SiteCalls(this, id);
    this.#sites.set(id, calls);
    return calls;
  }

  /** For `SiteCalls` alone, like `onDegraded`: resolvers call `site`. */
  getSite(id: SiteId, include: readonly Relation[]): Promise<Site | null> {
    return this.#client.getSite(this.#caller, id, include);
  }

  onDegraded(id: SiteId, include: readonly Relation[]): void {
    for (const observer of this.#observers) observer.onDegraded?.({ kind: 'site', id }, include);
  }

  #onDemand(resource: ResourceId, include: readonly Relation[], field?: GraphQLResolveInfo): void {
    for (const observer of this.#observers) observer.onDemand?.(resource, include, field);
  }

  #onCall(call: UpstreamCall, startedAtMs: number): void {
    this.ended.push(call);
    for (const observer of this.#observers) observer.onCall?.(call, startedAtMs);
  }
}
