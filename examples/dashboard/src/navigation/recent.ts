import { useEffect } from 'react';
import { createKept } from '../ui/store.ts';

/** Something that was opened on this device. */
export interface Recent {
  path: string;
  id: string;
  title: string;
}

const MAX_RECENT = 6;

const opened = createKept<readonly Recent[]>('portico-dashboard.recent', []);

/** The latest comes first. */
export const useRecent = opened.use;
export const forgetRecent = () => opened.set([]);

/** Remembers a page once its title is known. */
export function useRemember(path: string, id: string, title: string | null | undefined): void {
  useEffect(() => {
    const others = opened.get().filter((recent) => recent.path !== path);
    if (title) opened.set([{ path, id, title }, ...others].slice(0, MAX_RECENT));
  }, [path, id, title]);
}
