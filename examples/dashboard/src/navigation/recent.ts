import { useEffect, useSyncExternalStore } from 'react';

/** Something that was opened on this device. */
export interface Recent {
  path: string;
  id: string;
  title: string;
}

const NAME = 'portico-dashboard.recent';
const MAX_RECENT = 6;

let current = read();
const listeners = new Set<() => void>();

/** What was opened last comes first. */
export function useRecent(): readonly Recent[] {
  return useSyncExternalStore(subscribe, () => current);
}

/** Remembers a page once its title is known. */
export function useRemember(path: string, id: string, title: string | null | undefined): void {
  useEffect(() => {
    if (title)
      save([{ path, id, title }, ...current.filter((recent) => recent.path !== path)].slice(0, MAX_RECENT));
  }, [path, id, title]);
}

export const forgetRecent = () => save([]);

function save(recent: Recent[]): void {
  current = recent;
  try {
    localStorage.setItem(NAME, JSON.stringify(recent));
  } catch {
    // A browser may permit no storage; then the list lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function read(): readonly Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent) : [];
  } catch {
    return [];
  }
}

function isRecent(value: unknown): value is Recent {
  const { path, id, title } = (value ?? {}) as Partial<Record<keyof Recent, unknown>>;
  return [path, id, title].every((text) => typeof text === 'string');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
