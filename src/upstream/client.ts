import { createAnswers, parse } from './answers.ts';
import { createMemoryCache } from './cache.ts';
import { createSharedCache } from './cache-shared.ts';
import type { Caller } from './caller.ts';
import { UpstreamAbandoned, UpstreamError, UpstreamRateLimited, UpstreamUnaffordable } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { createFlights } from './flights.ts';
import type { Life } from './freshness.ts';
import { createGates } from './gates.ts';
import { createSharedGates } from './gates-shared.ts';
import { healthPath } from './paths.ts';
import { ContextQuestion, SiteQuestion } from './questions.ts';
import { msSince } from './report.ts';
import type { ConversationContext, Health, Relation, Site } from './resources.ts';
import type { Drift } from './shape.ts';
import { createStore, type Store } from './store.ts';
import { createWire, type WireOptions, type WireState } from './wire.ts';

/**
 * The REST API, one method an endpoint (REST document, section 4). A resource that is missing, or another partner's,
 * is `null`; every other failure is an UpstreamError.
 */
export interface UpstreamClient {
  /** `include` in any order; on the wire it has one, so that equal questions are equal texts. */
  getSite(caller: Caller, id: string, include: readonly Relation[]): Promise<Site | null>;
  getConversationContext(caller: Caller, id: string): Promise<ConversationContext | null>;
  /** Never fails for what the REST API does: that is what it reports. @throws UpstreamUnaffordable */
  getHealth(caller: Caller): Promise<Health>;
  close(): Promise<void>;
}

/** The client of a running gateway, which can be asked how it stands. */
export interface LiveClient extends UpstreamClient {
  /** Joins the other gateways, where there is a store; settles once it knows what they know, after a second at most. */
  join(): Promise<void>;
  state(): WireState & { flights: number };
}

export interface UpstreamOptions extends WireOptions {
  /** Whether equal calls of one key that are under way together are one. */
  coalescing: boolean;
  cache: CacheOptions;
  /** Redis or Valkey, where gateways keep answers together and tell each other of closed gates; null for none. */
  storeUrl: string | null;
  drift: Drift;
  /** Hears what the operator should know. */
  onFault: (fault: Error) => void;
}

interface CacheOptions {
  ttl: Life;
  /** How much of this process's memory it may take, in bytes. */
  maxBytes: number;
}

/** A client of the REST API; it connects when first asked. */
export function createUpstreamClient(options: UpstreamOptions): LiveClient {
  const { storeUrl, onFault } = options;
  const store = storeUrl === null ? null : createStore(storeUrl, onFault);
  const sharedGates = store && createSharedGates(store);
  const wire = createWire(options, sharedGates ?? createGates());
  const cache = createCache(options.cache, store);
  const flights = createFlights<Exchange>({ isShared: options.coalescing, timeoutMs: options.timeoutMs });
  const answers = createAnswers({
    wire,
    flights,
    cache,
    life: options.cache.ttl,
    drift: options.drift,
    onFailure: options.onFailure,
  });

  return {
    getSite: (caller, id, include) => answers.read(caller, new SiteQuestion(id, include)),
    getConversationContext: (caller, id) => answers.read(caller, new ContextQuestion(id)),

    async getHealth(caller) {
      const startedAt = performance.now();
      const answer = await answers.ask(caller, healthPath).catch(silence);
      return {
        reachable: answer !== null && answer.status >= 200 && answer.status < 300,
        statusCode: answer?.status ?? null,
        latencyMs: msSince(startedAt),
        body: answer ? writable(parse(answer.body)) : null,
      };
    },

    state: () => ({ ...wire.state(), flights: flights.size }),
    join: async () => sharedGates?.follow(),

    async close() {
      store?.close();
      await wire.close();
    },
  };
}

function createCache({ ttl, maxBytes }: CacheOptions, store: Store | null) {
  if (ttl.freshMs + ttl.staleMs === 0) return null;
  return store ? createSharedCache(store, ttl) : createMemoryCache(maxBytes);
}

/** JSON that can be written again: a value nested without end can be read, but not written, and is null. */
function writable(json: unknown): unknown {
  return nestsAtMost(json, 100) ? (json ?? null) : null;
}

function nestsAtMost(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(inner, levels - 1));
}

/** No answer is an answer to a health call, unless nobody waits or pays for it; that of a closed gate is known. */
function silence(error: unknown): Pick<Exchange, 'status' | 'body'> | null {
  if (!(error instanceof UpstreamError)) throw error;
  if (error instanceof UpstreamAbandoned || error instanceof UpstreamUnaffordable) throw error;
  return error instanceof UpstreamRateLimited ? { status: 429, body: Buffer.alloc(0) } : null;
}
