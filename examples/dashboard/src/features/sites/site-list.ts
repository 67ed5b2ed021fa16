import { createStore, onStoredElsewhere, storedText, storeText } from '../../ui/store.ts';
import { MAX_IDS } from './pasted.ts';

/** The sites that are stored in this browser. */
export interface SiteList {
  ids: readonly string[];
  /** Names of one's own, by ids: they stay in this browser. */
  names: Readonly<Record<string, string>>;
  pinned: readonly string[];
}

const NAME = 'portico-dashboard.sites';
export const MAX_NAME = 80;

const empty: SiteList = { ids: [], names: {}, pinned: [] };
const list = createStore(read());
// A later change here is made to that one, also where no page shows the list.
onStoredElsewhere(NAME, () => list.set(read()));

export const useSiteList = list.use;
export const getSiteList = list.get;

/** Adds ids that the list does not have, as far as there is room. */
export const addSites = (ids: readonly string[]) =>
  change((list) => ({ ...list, ids: [...new Set([...list.ids, ...ids])].slice(0, MAX_IDS) }));

export const removeSite = (id: string) =>
  change(({ ids, names, pinned }) => ({
    ids: ids.filter((other) => other !== id),
    names: withName(names, id, ''),
    pinned: pinned.filter((other) => other !== id),
  }));

/** Also their names and pins. */
export const removeAllSites = () => change(() => empty);

/** An empty name removes it. */
export const nameSite = (id: string, name: string) =>
  change((list) => ({ ...list, names: withName(list.names, id, name.trim().slice(0, MAX_NAME)) }));

export const pinSite = (id: string, isPinned: boolean) =>
  change((list) => {
    const others = list.pinned.filter((other) => other !== id);
    return { ...list, pinned: isPinned ? [...others, id] : others };
  });

function withName(names: SiteList['names'], id: string, name: string): SiteList['names'] {
  const others = Object.entries(names).filter(([other]) => other !== id);
  return Object.fromEntries(name === '' ? others : [...others, [id, name]]);
}

function change(make: (list: SiteList) => SiteList): void {
  const next = make(list.get());
  storeText(NAME, JSON.stringify(next));
  list.set(next);
}

function read(): SiteList {
  try {
    const { ids, names, pinned } = (JSON.parse(storedText(NAME) ?? '{}') ?? {}) as Partial<
      Record<keyof SiteList, unknown>
    >;
    const named = Object.entries(typeof names === 'object' && names ? names : {});
    return {
      ids: [...new Set(textsOf(ids))],
      names: Object.fromEntries(
        named.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      ),
      pinned: textsOf(pinned),
    };
  } catch {
    return empty;
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}
