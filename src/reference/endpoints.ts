import { type Answer, answerFromJson } from './answer.ts';
import type { Scope } from './keys.ts';
import { conversationIdFromPath, relationsFromTarget, siteIdFromPath } from './paths.ts';
import { answerFromProblem } from './problems.ts';
import type { Store } from './store.ts';

/** One resource that can be read (section 4). */
export interface Endpoint {
  path: string;
  /** What a key must have been given; null where any key will do. */
  scope: Scope | null;
  /** Answers a caller of this partner. `path` is the target without its query, both as received. */
  read(partnerId: string, target: string, path: string): Answer | Promise<Answer>;
}

/** Every endpoint there is. */
export function createEndpoints({ store, siteIdPrefix }: { store: Store; siteIdPrefix: string }): Endpoint[] {
  return [
    {
      path: '/v1/health',
      scope: null,
      read: () => answerFromJson('{"status":"ok"}'),
    },
    {
      path: '/v1/site/:id',
      scope: 'site:read',
      async read(partnerId, target, path) {
        const id = siteIdFromPath(path, siteIdPrefix);
        if (id === null) return answerFromProblem('malformed-id');
        return answerFromFound(await store.readSite(partnerId, id, relationsFromTarget(target)));
      },
    },
    {
      path: '/v1/conversation/:id/context',
      scope: 'conversation:read',
      async read(partnerId, _, path) {
        const id = conversationIdFromPath(path);
        if (id === null) return answerFromProblem('malformed-id');
        return answerFromFound(await store.readContext(partnerId, id));
      },
    },
  ];
}

/** What is missing and what is another partner's are one and the same 404. */
function answerFromFound(json: string | null): Answer {
  return json === null ? answerFromProblem('not-found') : answerFromJson(json);
}
