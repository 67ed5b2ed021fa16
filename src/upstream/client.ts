import { Pool } from 'undici';
import { conversationContextFromJson, siteFromJson } from './decode.ts';
import {
  UpstreamAbandoned,
  UpstreamError,
  UpstreamForbidden,
  UpstreamInvalidResponse,
  UpstreamRateLimited,
  UpstreamUnavailable,
} from './errors.ts';
import { type Exchange, exchange } from './exchange.ts';
import { type ConversationContext, type Health, type Relation, relations, type Site } from './resources.ts';
import { retryAfterFrom } from './retry-after.ts';
import type { Drift } from './shape.ts';

/** Whose request this is. */
export interface Caller {
  /** Goes upstream as it came, and nowhere else. */
  readonly apiKey: string;
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
  /** Is told of every call made for this caller, when it has ended. */
  readonly report?: (call: UpstreamCall) => void;
}

/** One REST call that was made. */
export interface UpstreamCall {
  method: 'GET';
  /** Below the base address, with `include`: `/v1/site/SITE-1?include=clients`. */
  path: string;
  /** Null when no complete answer came. */
  status: number | null;
  durationMs: number;
  source: 'network';
}

/**
 * The REST API, one method an endpoint (REST document, section 4). A resource that is missing, or another partner's,
 * is `null`; every other failure is an UpstreamError.
 */
export interface UpstreamClient {
  /** `include` in any order; on the wire it has one, so that equal questions are equal texts. */
  getSite(caller: Caller, id: string, include: readonly Relation[]): Promise<Site | null>;
  getConversationContext(caller: Caller, id: string): Promise<ConversationContext | null>;
  /** Never fails for what the REST API does: that is what it reports. */
  getHealth(caller: Caller): Promise<Health>;
  close(): Promise<void>;
}

export interface UpstreamOptions {
  /** Base address; `/v1/…` is added to its path. */
  url: URL;
  timeoutMs: number;
  connections: number;
  maxResponseBytes: number;
  drift: Drift;
}

/** A client of the REST API; it connects when first asked. */
export function createUpstreamClient(options: UpstreamOptions): UpstreamClient {
  const pool = new Pool(options.url.origin, {
    connections: options.connections,
    connect: { timeout: options.timeoutMs },
  });
  const basePath = options.url.pathname.replace(/\/+$/, '');

  const get = async (caller: Caller, path: string): Promise<Exchange> => {
    const startedAt = performance.now();
    let status: number | null = null;
    try {
      const answer = await exchange(
        pool,
        { path: basePath + path, apiKey: caller.apiKey, signal: caller.signal },
        options,
      );
      status = answer.status;
      return answer;
    } finally {
      caller.report?.({ method: 'GET', path, status, durationMs: msSince(startedAt), source: 'network' });
    }
  };

  return {
    async getSite(caller, id, include) {
      const json = jsonFrom(await get(caller, `/v1/site/${encodeURIComponent(id)}${queryFrom(include)}`));
      return json === missing ? null : siteFromJson(json, id, include, options.drift);
    },

    async getConversationContext(caller, id) {
      const json = jsonFrom(await get(caller, `/v1/conversation/${encodeURIComponent(id)}/context`));
      return json === missing ? null : conversationContextFromJson(json, id, options.drift);
    },

    async getHealth(caller) {
      const startedAt = performance.now();
      const answer = await get(caller, '/v1/health').catch(silence);
      return {
        reachable: answer !== null && answer.status >= 200 && answer.status < 300,
        statusCode: answer?.status ?? null,
        latencyMs: msSince(startedAt),
        body: answer ? writable(parse(answer.body)) : null,
      };
    },

    close: () => pool.close(),
  };
}

function queryFrom(include: readonly Relation[]): string {
  const inWireOrder = relations.filter((relation) => include.includes(relation));
  return inWireOrder.length > 0 ? `?include=${inWireOrder.join(',')}` : '';
}

const missing = Symbol('missing');

/** What an answer says, by its status (REST document, section 7, and the conventions of HTTP where it is silent). */
function jsonFrom({ status, headers, body }: Exchange): unknown {
  if (status === 404) return missing;
  if (status === 401 || status === 403) throw new UpstreamForbidden();
  if (status === 429) throw new UpstreamRateLimited(retryAfterFrom(headers['retry-after'], Date.now()));
  if (status >= 500) throw new UpstreamUnavailable();
  if (status !== 200) throw new UpstreamInvalidResponse(`its status is ${status}`);
  const json = parse(body);
  if (json === undefined) throw new UpstreamInvalidResponse('it is not JSON');
  return json;
}

/** Milliseconds to the microsecond: the clock has no more. */
function msSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** JSON that can be written again: a value nested without end can be read, but not written, and is null. */
function writable(json: unknown): unknown {
  return nestsAtMost(json, 100) ? (json ?? null) : null;
}

function nestsAtMost(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(inner, levels - 1));
}

/** No answer is an answer to a health call, unless nobody waits for it. */
function silence(error: unknown): null {
  if (!(error instanceof UpstreamError) || error instanceof UpstreamAbandoned) throw error;
  return null;
}
