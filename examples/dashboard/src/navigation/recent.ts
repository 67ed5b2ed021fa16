import { useEffect } from 'react';
import { createStore, onStoredElsewhere, storedText, storeText } from '../ui/store.ts';

/** Something that was opened on this device. */
export interface Recent {
  path: string;
  id: string;
  title: string;
}

const NAME = 'portico-dashboard.recent';
const MAX_RECENT = 6;

const opened = createStore(read());
onStoredElsewhere(NAME, () => opened.set(read()));

/** What was opened last comes first. */
export const useRecent = opened.use;

/** Remembers a page once its title is known. */
export function useRemember(path: string, id: string, title: string | null | undefined): void {
  useEffect(() => {
    if (title)
      save(
        [{ path, id, title }, ...opened.get().filter((recent) => recent.path !== path)].slice(0, MAX_RECENT),
      );
  }, [path, id, title]);
}

export const forgetRecent = () => save([]);

function save(recent: Recent[]): void {
  opened.set(recent);
  storeText(NAME, JSON.stringify(recent));
}

function read(): readonly Recent[] {
  try {
    const stored: unknown = JSON.parse(storedText(NAME) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent) : [];
  } catch {
    return [];
  }
}

function isRecent(value: unknown): value is Recent {
  const { path, id, title } = (value ?? {}) as Partial<Record<keyof Recent, unknown>>;
  return [path, id, title].every((text) => typeof text === 'string');
}
