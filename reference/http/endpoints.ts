import type { Store } from '../database/store.ts';
import type { Scope } from '../keys/keys.ts';
import { responseFromProblem } from './problems.ts';
import { type ApiResponse, responseFromJson } from './response.ts';
import { conversationIdFromPath, relationsFromTarget, siteIdFromPath } from './targets.ts';

/** One readable resource (section 4). */
export interface Endpoint {
  pattern: RegExp;
  /** The scope that a key needs; null for none. */
  scope: Scope | null;
  /** Reads for this partner. `path` is `target` without its query, both as received. */
  read(partnerId: string, target: string, path: string): ApiResponse | Promise<ApiResponse>;
}

export function createEndpoints({ store, siteIdPrefix }: { store: Store; siteIdPrefix: string }): Endpoint[] {
  return [
    {
      pattern: /^\/v1\/health$/,
      scope: null,
      read: () => responseFromJson('{"status":"ok"}'),
    },
    {
      pattern: /^\/v1\/site\/[^/]+$/,
      scope: 'site:read',
      async read(partnerId, target, path) {
        const id = siteIdFromPath(path, siteIdPrefix);
        if (id === null) return responseFromProblem('malformed-id');
        return responseOrNotFound(await store.readSite(partnerId, id, relationsFromTarget(target)));
      },
    },
    {
      pattern: /^\/v1\/conversation\/[^/]+\/context$/,
      scope: 'conversation:read',
      async read(partnerId, _, path) {
        const id = conversationIdFromPath(path);
        if (id === null) return responseFromProblem('malformed-id');
        return responseOrNotFound(await store.readContext(partnerId, id));
      },
    },
  ];
}

/** A missing object and one of another partner get the same 404. */
function responseOrNotFound(json: string | null): ApiResponse {
  return json === null ? responseFromProblem('not-found') : responseFromJson(json);
}
