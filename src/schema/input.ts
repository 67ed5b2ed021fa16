/** An argument that cannot be what it claims to be. The message names what to change and quotes nothing. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

declare const checked: unique symbol;
/** Texts that passed the checks below; no other text is sent upstream. */
export type SiteId = string & { readonly [checked]: 'site' };
export type ConversationId = string & { readonly [checked]: 'conversation' };

export type Input = ReturnType<typeof createInput>;

const maxIdLength = 200;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const exampleUuid = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
// A proxy may decode %2F and resolve dot segments: out of the API, with the key. URL parsers take %2E for the dot.
const dotSegment = /(^|[/\\])(\.|%2e){1,2}([/\\]|$)/i;

/** `siteIdPrefix`: the prefix word of site ids (REST document, 2.1); `maxIds`: of one list argument. */
export function createInput({ siteIdPrefix, maxIds }: { siteIdPrefix: string; maxIds: number }) {
  return {
    /** @throws InputError unless it is `<prefix>-` and harmless text, at most 200 characters in all */
    siteId(text: string): SiteId {
      const problem = problemOfSiteId(text, siteIdPrefix);
      if (problem) throw new InputError(`A site id ${problem}.`);
      return text as SiteId;
    },
    /** The same check for an id that is no caller's: one that the REST API's data names. */
    isSiteId: (text: string): text is SiteId => problemOfSiteId(text, siteIdPrefix) === undefined,
    /** The UUID in lower case. @throws InputError when it is none */
    conversationId(text: string): ConversationId {
      if (!uuid.test(text)) throw new InputError(`A conversation id must be a UUID, such as ${exampleUuid}.`);
      return text.toLowerCase() as ConversationId;
    },
    /** The list itself. @throws InputError when it is too long */
    idList<T>(ids: readonly T[]): readonly T[] {
      if (ids.length > maxIds)
        throw new InputError(`A list may hold at most ${maxIds} ids, not ${ids.length}.`);
      return ids;
    },
  };
}

function problemOfSiteId(text: string, prefix: string): string | undefined {
  if (!text.startsWith(`${prefix}-`)) return `must start with "${prefix}-"`;
  if (text.length > maxIdLength) return `may be at most ${maxIdLength} characters long`;
  if (/\p{Cc}/u.test(text)) return 'must not hold control characters';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (dotSegment.test(text)) return 'must not hold a segment "." or ".." between slashes';
  return undefined;
}

interface Slice {
  first?: number | null | undefined;
  last?: number | null | undefined;
}

/** The first or the last elements of a list. @throws InputError for both counts at once, or a negative one */
export function sliceOf<T>(items: readonly T[], { first, last }: Slice): readonly T[] {
  if (first != null && last != null) throw new InputError('Give "first" or "last", not both.');
  if ((first ?? last ?? 0) < 0) throw new InputError('"first" and "last" must not be negative.');
  if (first != null) return items.slice(0, first);
  if (last != null) return last === 0 ? [] : items.slice(-last);
  return items;
}
