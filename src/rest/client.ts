import { request, resourceIn, type Send, UpstreamRequest } from './call.ts';
import type { Caller } from './caller.ts';
import { getHealth } from './health.ts';
import type { ConversationContext, Relation, Site } from './resources.ts';
import { contextTarget, SiteTarget } from './targets.ts';

export type UpstreamClient = ReturnType<typeof createClient>;

/**
 * The REST API, with a method for each endpoint (REST document, section 4), by calls that `send` makes. A resource that is
 * missing, or another partner's, is `null`; every other failure is an UpstreamError.
 */
export function createClient(send: Send) {
  return {
    /** `include` in any order; the path has one order, so that equal requests are equal paths. */
    getSite(caller: Caller, id: string, include: readonly Relation[]): Promise<Site | null> {
      return request(send, new UpstreamRequest(caller, new SiteTarget(id, include)), resourceIn<Site>);
    },

    getConversationContext(caller: Caller, id: string): Promise<ConversationContext | null> {
      return request(send, new UpstreamRequest(caller, contextTarget(id)), resourceIn<ConversationContext>);
    },

    getHealth: (caller: Caller) => getHealth(send, caller),
  };
}
