import DataLoader from 'dataloader';
import type { ConversationId, SiteId } from './input.ts';
import type { Caller, UpstreamCall } from './upstream/caller.ts';
import type { UpstreamClient } from './upstream/client.ts';
import { mayLieInInclude, UpstreamUnaffordable } from './upstream/errors.ts';
import type { ConversationContext, Health, Relation, Site } from './upstream/resources.ts';

/**
 * What the resolvers of one operation ask, and the only way from them to the REST API. Made for one operation and one
 * caller, whose key is closed over here and cannot be read back.
 */
export interface Loaders {
  /**
   * The site with at least the relations of `include`, or null when there is none. All that is asked in one tick is
   * merged: each site is asked for once, with the union of the relations; and over the whole operation no relation of
   * a site is asked for twice. Where the REST API breaks over the relations, they are the error, in a site that was asked
   * for without them.
   */
  site(id: SiteId, include: readonly Relation[]): Promise<Site | null>;
  /** The context of a conversation, or null when there is none. Each is asked for once. */
  conversationContext(id: ConversationId): Promise<ConversationContext | null>;
  /** One health call, however often it is read. */
  health(): Promise<Health>;
  /** The REST calls that were needed and have ended so far, in the order in which they did. */
  readonly calls: readonly UpstreamCall[];
  /** How many REST calls went out so far, and how many may. */
  readonly budget: Budget;
  /** How often anything was asked so far: what is more than the calls was merged. */
  readonly questions: number;
}

interface Budget {
  readonly spent: number;
  readonly limit: number;
}

/** `maxUpstreamCalls`: how many REST calls may go out; those over it fail with UpstreamUnaffordable. */
export function createLoaders(client: UpstreamClient, caller: Caller, maxUpstreamCalls: number): Loaders {
  return new OperationLoaders(client, caller, maxUpstreamCalls);
}

/** A class, for one is made for each operation, and most operations need one of its parts. */
class OperationLoaders implements Loaders {
  readonly calls: UpstreamCall[] = [];
  questions = 0;
  readonly budget: Purse;
  readonly #client: UpstreamClient;
  readonly #caller: Caller;
  #sites: ReturnType<typeof createSiteLoader> | undefined;
  #contexts: ReturnType<typeof createContextLoader> | undefined;
  #health: Promise<Health> | undefined;

  constructor(client: UpstreamClient, { apiKey, owner, signal, request }: Caller, maxUpstreamCalls: number) {
    const purse = new Purse(maxUpstreamCalls);
    const report = (call: UpstreamCall) => void this.calls.push(call);
    this.budget = purse;
    this.#client = client;
    this.#caller = { apiKey, owner, signal, request, report, pay: () => purse.pay() };
  }

  site(id: SiteId, include: readonly Relation[]): Promise<Site | null> {
    this.questions += 1;
    this.#sites ??= createSiteLoader((one, relations) => this.#client.getSite(this.#caller, one, relations));
    return this.#sites.load({ id, include }).then(unboxed);
  }

  conversationContext(id: ConversationId): Promise<ConversationContext | null> {
    this.questions += 1;
    this.#contexts ??= createContextLoader((one) => this.#client.getConversationContext(this.#caller, one));
    return this.#contexts.load(id).then(unboxed);
  }

  health(): Promise<Health> {
    this.questions += 1;
    this.#health ??= this.#client.getHealth(this.#caller);
    return this.#health;
  }
}

class Purse implements Budget {
  readonly limit: number;
  #spent = 0;
  #unpaid = 0;
  readonly #takeBack = () => {
    this.#spent -= 1;
  };

  constructor(limit: number) {
    this.limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  /** @throws UpstreamUnaffordable where nothing is left */
  pay(): () => void {
    if (this.#spent >= this.limit) {
      this.#unpaid += 1;
      throw new UpstreamUnaffordable(this.limit + this.#unpaid, this.limit);
    }
    this.#spent += 1;
    return this.#takeBack;
  }
}

/** DataLoader settles a batch all at once; a promise in a box lets each key settle by itself, the fast ones first. */
interface Boxed<T> {
  promise: Promise<T | null>;
}

function unboxed<T>({ promise }: Boxed<T>): Promise<T | null> {
  return promise;
}

function createContextLoader(get: (id: ConversationId) => Promise<ConversationContext | null>) {
  return new DataLoader<ConversationId, Boxed<ConversationContext>>(async (ids) =>
    ids.map((id) => ({ promise: get(id) })),
  );
}

interface SiteQuestion {
  id: SiteId;
  include: readonly Relation[];
}

/** A REST call for a site that was made, and the relations that it brings. */
interface SiteAnswer {
  include: readonly Relation[];
  promise: Promise<Site | null>;
}

/**
 * The questions of a tick come as one batch. DataLoader's own cache is off: two questions for one site may differ in
 * their relations, so what was asked is kept here, by site.
 */
function createSiteLoader(getSite: (id: SiteId, include: readonly Relation[]) => Promise<Site | null>) {
  const answers = new Map<SiteId, SiteAnswer[]>();
  const bares = new Map<SiteId, Promise<Site | null>>();

  const ask = (id: SiteId, wanted: readonly Relation[]) => {
    const known = answers.get(id);
    const missing = known ? missingIn(known, wanted) : wanted;
    if (known && missing.length === 0) return;
    const promise = get(id, missing);
    // A failure is for those who wait for it; where nobody does, it must not end the process.
    promise.catch(unheard);
    const answer = { include: missing, promise };
    if (known) known.push(answer);
    else answers.set(id, [answer]);
  };

  const get = (id: SiteId, include: readonly Relation[]) => {
    if (include.length === 0) return getBare(id);
    return getSite(id, include).catch((failure: unknown) => {
      if (!mayLieInInclude(failure)) throw failure;
      return getBare(id).then(
        (site) => site && { ...site, ...inPlaceOf(include, failure) },
        // What was asked first is what failed.
        () => Promise.reject(failure),
      );
    });
  };

  /** At most one call over the whole operation, however many relations it stands in for. */
  const getBare = (id: SiteId) => {
    const bare = bares.get(id) ?? getSite(id, []);
    bares.set(id, bare);
    return bare;
  };

  return new DataLoader<SiteQuestion, Boxed<Site>>(
    async (questions) => {
      for (const [id, wanted] of unionsOf(questions)) ask(id, wanted);
      return questions.map(({ id, include }) => ({ promise: siteFrom(answers.get(id) ?? [], include) }));
    },
    { cache: false },
  );
}

/** The failure in the place of each relation. */
function inPlaceOf(include: readonly Relation[], failure: unknown): object {
  return Object.fromEntries(include.map((relation) => [relation, failure]));
}

/** What is wanted of each site, whoever asks. */
function unionsOf(questions: readonly SiteQuestion[]): Map<SiteId, readonly Relation[]> {
  const unions = new Map<SiteId, readonly Relation[]>();
  for (const { id, include } of questions) {
    const union = unions.get(id);
    unions.set(id, union && union !== include ? [...new Set([...union, ...include])] : include);
  }
  return unions;
}

/**
 * The site from the answers that hold it. One answer that brings everything is taken as it is, so that what
 * is asked later waits for no relation beyond it; else the answers that bring the wanted relations are laid over each other.
 */
function siteFrom(answers: readonly SiteAnswer[], include: readonly Relation[]): Promise<Site | null> {
  const whole = answers.find((answer) => include.every((relation) => brings(answer, relation)));
  return whole ? whole.promise : siteFromParts(answers, include);
}

async function siteFromParts(
  answers: readonly SiteAnswer[],
  include: readonly Relation[],
): Promise<Site | null> {
  const parts = answers.filter((answer) => include.some((relation) => brings(answer, relation)));
  const outcomes = await Promise.allSettled(parts.map((part) => part.promise));
  const sites = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (sites.includes(null)) return null;
  const pieces = outcomes.map((outcome, n) =>
    outcome.status === 'fulfilled' ? outcome.value : inPlaceOf(parts[n]?.include ?? [], outcome.reason),
  );
  // What failed costs its own relations, as long as the site itself is there.
  return sites.length > 0 ? Object.assign({}, ...pieces) : (parts[0]?.promise ?? null);
}

function missingIn(known: readonly SiteAnswer[], wanted: readonly Relation[]): readonly Relation[] {
  return wanted.filter((relation) => !known.some((answer) => brings(answer, relation)));
}

function unheard(): void {}

function brings(answer: SiteAnswer, relation: Relation): boolean {
  return answer.include.includes(relation);
}
