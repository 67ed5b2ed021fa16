import type { Caller } from '../../src/rest/caller.ts';
import { createCaller } from '../../src/rest/caller.ts';
import type { UpstreamClient } from '../../src/rest/client.ts';
import type { Relation, Site } from '../../src/rest/resources.ts';
import { OperationCalls } from '../../src/schema/loaders.ts';
import { createDisconnect } from './client.ts';
import { createGate, type Gate } from './gate.ts';
import { apiKey } from './gateway.ts';

export interface SiteCall {
  id: string;
  include: readonly Relation[];
  caller: Caller;
  response: Gate<Site | null>;
}

/** The calls of an operation by a client that holds those for sites until the test settles them. */
export function createHeldCalls() {
  const sites: SiteCall[] = [];
  const contexts: string[] = [];
  const keys = new Set<string>();
  const counts = { health: 0 };
  const client: UpstreamClient = {
    getSite(caller, id, include) {
      keys.add(caller.apiKey);
      const response = createGate<Site | null>();
      sites.push({ id, include, caller, response });
      return response.promise;
    },
    async getConversationContext(_, id) {
      contexts.push(id);
      return null;
    },
    async getHealth() {
      counts.health += 1;
      return { reachable: true, statusCode: 200, latencyMs: 1, body: null };
    },
  };
  const calls = new OperationCalls(client, createCaller(apiKey, createDisconnect().signal, 10_000), 50);
  return { calls, loaders: calls, sites, contexts, keys, counts };
}

/**
 * Resolves when all loads so far have reached the client: a batch is sent when the pending promises have
 * settled.
 */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
