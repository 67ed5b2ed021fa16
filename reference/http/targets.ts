import type { Relation } from '../database/store.ts';
import { isConversationId, isSiteId } from '../ids.ts';

const RELATIONS: readonly Relation[] = ['clients', 'projects'];

/** The path of a request target, still percent-encoded, so that an id with `%2F` stays one segment. */
export function pathFromTarget(target: string): string {
  return /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(target)?.[1] ?? '';
}

/** Whether the target is at or below `/link`. */
export function isLinkTarget(target: string): boolean {
  return /^\/link(\/|$)/.test(pathFromTarget(target));
}

/** The decoded site id in the third segment of the path; null if it is not a valid one (section 4.2). */
export function siteIdFromPath(path: string, prefix: string): string | null {
  const id = idFromPath(path);
  return id !== null && isSiteId(id, prefix) ? id : null;
}

/** The conversation id in the path's third segment, in lower case; null if it is no UUID (section 4.3). */
export function conversationIdFromPath(path: string): string | null {
  const id = idFromPath(path);
  return id !== null && isConversationId(id) ? id.toLowerCase() : null;
}

function idFromPath(path: string): string | null {
  try {
    return decodeURIComponent(path.split('/')[3] ?? '');
  } catch {
    return null;
  }
}

/** The relations in every `include` of the target, in a fixed order. Unknown names are ignored. */
export function relationsFromTarget(target: string): ReadonlySet<Relation> {
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  const names = new URLSearchParams(query)
    .getAll('include')
    .flatMap((list) => list.split(','))
    .map((name) => name.trim());
  return new Set(RELATIONS.filter((relation) => names.includes(relation)));
}
