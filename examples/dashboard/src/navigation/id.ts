/** What an id names. */
export interface Item {
  page: 'site' | 'conversation';
  id: string;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const schemeAndHost = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Reads an id as people have it: in any case, the number of a site alone, or a link that contains an id. Undefined
 * where there is none. `sitePrefix`: the word before the hyphen of a site id.
 */
export function itemFrom(text: string, sitePrefix: string): Item | undefined {
  const id = text.trim();
  return itemOf(id, sitePrefix) ?? itemInLink(id, sitePrefix);
}

function itemOf(text: string, sitePrefix: string): Item | undefined {
  if (uuid.test(text)) return { page: 'conversation', id: text.toLowerCase() };
  const start = `${sitePrefix}-`;
  if (/^\d+$/.test(text)) return { page: 'site', id: start + text };
  // What follows the prefix is any text, in which the case counts.
  const [head, rest] = [text.slice(0, start.length), text.slice(start.length)];
  const isSite = head.toLowerCase() === start.toLowerCase() && rest !== '';
  return isSite ? { page: 'site', id: start + rest } : undefined;
}

/** The id below `/site/` or `/conversation/`, or else the first one. */
function itemInLink(link: string, sitePrefix: string): Item | undefined {
  const parts = link
    .replace(schemeAndHost, '')
    .split(/[/?#&=]/)
    .map(decodeSegment);
  let first: Item | undefined;
  for (const [n, part = ''] of parts.entries()) {
    const item = itemOf(part, sitePrefix);
    if (item && /^(site|conversation)$/i.test(parts[n - 1] ?? '')) return item;
    // Elsewhere a number is no id, nor is a word such as `site-map`.
    if (item?.page === 'conversation' || item?.id === part) first ??= item;
  }
  return first;
}

/** The text of a percent-encoded segment. Undefined where the encoding is invalid. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
