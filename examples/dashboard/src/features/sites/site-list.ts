import { createKept } from '../../ui/store.ts';

/** The sites that are kept in this browser. */
interface SiteList {
  ids: readonly string[];
  /** Names of one's own, by ids: they stay in this browser. */
  names: Readonly<Record<string, string>>;
  pinned: readonly string[];
}

/** One list. */
export const MAX_SITES = 10_000;
const MAX_NAME = 80;

const empty: SiteList = { ids: [], names: {}, pinned: [] };
const list = createKept('portico-dashboard.sites', empty);

export const useSiteList = list.use;
export const getSiteList = list.get;

/** Adds ids that the list does not have, as far as there is room. */
export const addSites = (added: readonly string[]) =>
  change(({ ids }) => ({ ids: [...new Set([...ids, ...added])].slice(0, MAX_SITES) }));

export const removeSite = (id: string) =>
  change(({ ids, names: { [id]: _, ...names }, pinned }) => ({
    ids: ids.filter((other) => other !== id),
    names,
    pinned: pinned.filter((other) => other !== id),
  }));

/** Also their names and pins. */
export const removeAllSites = () => change(() => empty);

/** An empty name removes it. */
export const nameSite = (id: string, name: string) =>
  change(({ names: { [id]: _, ...names } }) => {
    const text = name.trim().slice(0, MAX_NAME);
    return { names: text === '' ? names : { ...names, [id]: text } };
  });

export const pinSite = (id: string, isPinned: boolean) =>
  change(({ pinned }) => {
    const others = pinned.filter((other) => other !== id);
    return { pinned: isPinned ? [...others, id] : others };
  });

const change = (make: (list: SiteList) => Partial<SiteList>) =>
  list.set({ ...list.get(), ...make(list.get()) });
