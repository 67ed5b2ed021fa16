const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CONTROL = /\p{Cc}|[\u2028\u2029]/u;

/** In code points, as JSON Schema counts. */
export const SITE_ID_MAX_LENGTH = 200;

/** Whether this is a valid site id: its prefix, length, and characters that survive a URL (section 2.1). */
export function isSiteId(id: string, prefix: string): boolean {
  return id.startsWith(`${prefix}-`) && isShort(id) && !CONTROL.test(id) && id.isWellFormed();
}

/** A code point has at most two UTF-16 units, so a far longer text is rejected without being split. */
function isShort(id: string): boolean {
  return id.length <= 2 * SITE_ID_MAX_LENGTH && [...id].length <= SITE_ID_MAX_LENGTH;
}

/** Whether this is a valid conversation id: a UUID of any version, in any case. */
export function isConversationId(id: string): boolean {
  return UUID.test(id);
}
