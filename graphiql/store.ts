import { useSyncExternalStore } from 'react';

/** A value outside of React, for what the editors, the requests and the panels share. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  /** Calls `listener` after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A text that outlives a reload, but not the browser tab. */
export function createSessionStore(name: string, initial: string): Store<string> {
  const key = `portico:${name}`;
  const store = createStore(sessionStorage.getItem(key) ?? initial);
  store.subscribe(() => {
    // If the storage is full, an earlier text must not come back with a reload.
    sessionStorage.removeItem(key);
    sessionStorage.setItem(key, store.get());
  });
  return store;
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
