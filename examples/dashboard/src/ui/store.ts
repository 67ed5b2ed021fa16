import { useSyncExternalStore } from 'react';

/** A value that is the same in all components that use it. */
export function createStore<T>(initial: T) {
  let current = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    get: () => current,
    set(next: T): void {
      current = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, () => current),
  };
}

/** The text that is stored in this browser under a name; null where there is none. */
export function storedText(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Calls `listener` after another tab of this browser has changed the text that is stored under a name. */
export function onStoredElsewhere(name: string, listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === name || key === null) listener();
  });
}

/** Stores a text in this browser. A browser may permit no storage; then the value lasts as long as the page. */
export function storeText(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {}
}
