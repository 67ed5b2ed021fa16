import { itemFrom } from '../../navigation/id.ts';
import { sitesAddressIn } from '../../navigation/sites-address.ts';

/** What a pasted text has. */
export interface Pasted {
  /** Each once, in the order of the text. */
  ids: string[];
  /** How many ids the text repeats. */
  duplicates: number;
  /** The lines without a site. */
  rejected: string[];
  /** The lines that were not read, because the text or the list would be too long. */
  unread: string[];
}

/** One list. */
export const MAX_IDS = 10_000;
/** One text. */
const MAX_CHARACTERS = 2 ** 20;
/** The gateway accepts ids of 200 characters, which a link encodes. */
const MAX_CELL = 2000;
const MAX_ID = 200;

/**
 * Reads the sites of a text: ids, links, also those of a table, or a column of a spreadsheet, one or several in a
 * line. A comma or a semicolon separates: an id that contains one is read from a link, where it is encoded. `kept`:
 * the ids of the list to which these are added, which count in `maxIds`.
 */
export function readPasted(
  text: string,
  sitePrefix: string,
  maxIds = MAX_IDS,
  kept: ReadonlySet<string> = new Set(),
): Pasted {
  const ids = new Set<string>();
  const rejected: string[] = [];
  let duplicates = 0;
  let room = maxIds - kept.size;
  let length = 0;
  // A space before what begins as an id: an id may have spaces of its own.
  const nextId = new RegExp(`\\s(?=${escapeForRegExp(sitePrefix)}-|https?://)`, 'i');
  const lines = text.split(/\r\n|\r|\n/);
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length > MAX_CHARACTERS + 1)
      return { ids: [...ids], duplicates, rejected, unread: lines.slice(index) };
    const found = sitesOfLine(line, sitePrefix, nextId);
    const added = [...new Set(found)].filter((id) => !ids.has(id));
    const fitting = added.filter((id) => kept.has(id) || room-- > 0);
    for (const id of fitting) ids.add(id);
    duplicates += found.length - added.length;
    if (found.length === 0 && line.trim() !== '') rejected.push(line.trim());
    if (fitting.length < added.length) {
      const rest = added.filter((id) => !ids.has(id)).join(', ');
      return { ids: [...ids], duplicates, rejected, unread: [rest, ...lines.slice(index + 1)] };
    }
  }
  return { ids: [...ids], duplicates, rejected, unread: [] };
}

function sitesOfLine(line: string, sitePrefix: string, nextId: RegExp): string[] {
  const linked: string[] = [];
  const rest = line.replace(tableLink, (link) => {
    const texts = sitesAddressIn(link)?.ids ?? [];
    const ids = texts.map((text) => siteFrom(text, sitePrefix)).filter((id) => id !== undefined);
    linked.push(...ids);
    return ids.length > 0 ? '\t' : link;
  });
  const cells = rest
    .split(/[\t,;]/)
    .flatMap((cell) => cell.split(nextId))
    .map((cell) => cell.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter((cell) => cell !== '');
  const named = cells.filter((cell) => !isNumber(cell));
  const single = named.map((cell) => siteFrom(cell, sitePrefix)).filter((id) => id !== undefined);
  const found = [...linked, ...single];
  // Beside a whole id, a number is another column, such as a postal code.
  if (found.length > 0) return found;
  const numbers = cells.flatMap((cell) => cell.split(/\s+/));
  return numbers.every(isNumber)
    ? numbers.map((cell) => siteFrom(cell, sitePrefix)).filter((id) => id !== undefined)
    : [];
}

/** In a link to a table a comma is between two ids, and encoded within one. */
const tableLink = /\/sites\?[^\s;"#]*/g;

/** Control characters, and halves of characters, which no address can have. */
const unreadable = /[\p{Cc}\p{Cs}]/u;

const isNumber = (text: string) => /^\d+$/.test(text);

/** The id of a site, as people have it. */
export function siteFrom(cell: string, sitePrefix: string): string | undefined {
  const item = cell.length > MAX_CELL ? undefined : itemFrom(cell, sitePrefix);
  const isValid = item?.page === 'site' && item.id.length <= MAX_ID && !unreadable.test(item.id);
  return isValid ? item.id : undefined;
}

const escapeForRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
