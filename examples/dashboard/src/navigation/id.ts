/** The kind of resource that an id names. */
export interface Item {
  page: 'site' | 'conversation';
  id: string;
}

/** Tests read this file without a build. */
type Built = { env?: { SITE_ID_PREFIX?: string } };

/** The prefix of site ids, which is the gateway's setting of the same name. It is read when the page is built. */
export const sitePrefix = (import.meta as Built).env?.SITE_ID_PREFIX || 'SITE';

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Reads an id as people have it: in any case, or the number of a site alone. Undefined for any other text. */
export function itemOf(text: string, prefix = sitePrefix): Item | undefined {
  if (uuid.test(text)) return { page: 'conversation', id: text.toLowerCase() };
  if (/^\d+$/.test(text)) return { page: 'site', id: `${prefix}-${text}` };
  // The text after the prefix is any text, in which the case counts.
  const [head, rest] = [text.slice(0, prefix.length + 1), text.slice(prefix.length + 1)];
  const isSite = head.toLowerCase() === `${prefix}-`.toLowerCase() && rest !== '';
  return isSite ? { page: 'site', id: `${prefix}-${rest}` } : undefined;
}

/** Reads an id, or the first one of a text such as a link. */
export const itemFrom = (text: string, prefix = sitePrefix): Item | undefined =>
  itemOf(text.trim(), prefix) ?? itemsIn(text, prefix)[0];

/** The gateway accepts ids of 200 characters, which a link encodes. */
const MAX_WORD = 1800;
const words = /[^\s,;"'<>()[\]{}/?#&=|]+/g;

/** The ids that a text names, each once and in its order: in sentences, links, lists and columns of a spreadsheet. */
export function itemsIn(text: string, prefix = sitePrefix): Item[] {
  const found = new Map<string, Item>();
  let isBelow = '';
  const isColumn = /^[\d\s,;]+$/.test(text);
  for (const [raw] of text.matchAll(words)) {
    const word = raw.length > MAX_WORD ? '' : decode(raw).replace(/[.:!]+$/, '');
    const item = itemOf(word, prefix);
    // A number is an id below `/site/`, or if nothing else is there; a word such as `site-map` is none.
    const isSure = item?.page === 'conversation' || item?.id === word || /-\d+$/.test(word);
    if (item && (isSure || isColumn || isBelow === item.page)) found.set(item.id, item);
    isBelow = word.toLowerCase();
  }
  return [...found.values()];
}

/** The text of a percent-encoded segment; as it is if the encoding is invalid. */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
