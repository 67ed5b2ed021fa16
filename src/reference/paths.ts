import type { Relation } from './store.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CONTROL = /\p{Cc}|[\u2028\u2029]/u;
/** In characters. */
export const SITE_ID_MAX_LENGTH = 200;
const RELATIONS: readonly Relation[] = ['clients', 'projects'];

/** The path of a request target, still percent-encoded, so that an id with `%2F` in it stays one segment. */
export function pathFromTarget(target: string): string {
  return /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(target)?.[1] ?? '';
}

/** Whether the target is that of a one-time link, or of its neighbourhood. */
export function isLinkTarget(target: string): boolean {
  return /^\/link(\/|$)/.test(pathFromTarget(target));
}

/** The site id in the path's third segment, decoded; null when no site can have it (section 4.2). */
export function siteIdFromPath(path: string, prefix: string): string | null {
  const id = idFromPath(path);
  return id !== null && isSiteId(id, prefix) ? id : null;
}

/** Whether a site may have this id: its prefix, a length and characters that fit an address (section 2.1). */
export function isSiteId(id: string, prefix: string): boolean {
  return id.startsWith(`${prefix}-`) && isShort(id) && !CONTROL.test(id) && id.isWellFormed();
}

/** In characters, as JSON Schema counts; none is longer than two of UTF-16's units. */
function isShort(id: string): boolean {
  return id.length <= 2 * SITE_ID_MAX_LENGTH && [...id].length <= SITE_ID_MAX_LENGTH;
}

/** The conversation id in the path's third segment, in lower case; null when it is no UUID (section 4.3). */
export function conversationIdFromPath(path: string): string | null {
  const id = idFromPath(path);
  return id !== null && isConversationId(id) ? id.toLowerCase() : null;
}

/** Whether a conversation may have this id: a UUID in any case and of any version. */
export function isConversationId(id: string): boolean {
  return UUID.test(id);
}

function idFromPath(path: string): string | null {
  try {
    return decodeURIComponent(path.split('/')[3] ?? '');
  } catch {
    return null;
  }
}

/** The relations that every `include` of the target names, in their own order; words it does not know are ignored. */
export function relationsFromTarget(target: string): ReadonlySet<Relation> {
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  const words = new URLSearchParams(query)
    .getAll('include')
    .flatMap((list) => list.split(','))
    .map((word) => word.trim());
  return new Set(RELATIONS.filter((relation) => words.includes(relation)));
}
