import { memoized } from '../../memo.ts';
import { readingsOf, sharePart } from '../../secrets.ts';
import type { Link } from '../../upstream/notices.ts';

const MAX_FIELD_CHARACTERS = 1000;
const MAX_HREF_CHARACTERS = 500;

/** The first link of each relation, in a Link field (RFC 8288, 3); null for one that is malformed. */
export function linksFrom(field: string): readonly Link[] | null {
  if (field.length > MAX_FIELD_CHARACTERS) return null;
  const value =
    /[ \t]*<([^<>]*)>((?:[ \t]*;[ \t]*[\w!#$&+.^`|~*-]+(?:=(?:"[^"]*"|[^\s";,]+))?)*)[ \t]*(?:,|$)/y;
  const links = new Map<string, string>();
  do {
    const [, target = '', parameters = ''] = value.exec(field) ?? [];
    if (value.lastIndex === 0) return null;
    const [, quoted, word = ''] = /;[ \t]*rel=(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters) ?? [];
    const href = hrefFrom(target);
    for (const rel of (quoted ?? word).toLowerCase().split(' '))
      if (href !== null && !links.has(rel)) links.set(rel, href);
  } while (field[value.lastIndex - 1] === ',');
  return (['deprecation', 'sunset'] as const).flatMap((rel) => {
    const href = links.get(rel);
    return href === undefined ? [] : [{ rel, href }];
  });
}

/** An absolute address of a page; another one would be relative to the REST API, which callers do not know. */
function hrefFrom(target: string): string | null {
  const url = target.length <= MAX_HREF_CHARACTERS && URL.canParse(target) ? new URL(target) : null;
  const isPage = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPage ? url.href : null;
}

/** What the address reads as: most responses have the same links. */
const readingsOfLink = memoized(({ href }: Link) => readingsOf(href));

/** Those that reveal nothing of a key, however short it is. */
export function withoutKey(links: readonly Link[], apiKey: string): readonly Link[] {
  if (links.length === 0) return links;
  const [folded] = readingsOf(apiKey);
  const reveals = (reading: string) => reading.includes(folded) || sharePart(reading, folded);
  const rest = links.filter((link) => !readingsOfLink(link).some(reveals));
  return rest.length === links.length ? links : rest;
}
