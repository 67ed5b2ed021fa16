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

/** The value that is stored in this browser under a name. */
export function stored<T>(name: string, initial: T): T {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '') ?? initial;
  } catch {
    return initial;
  }
}

/** Stores a value in this browser. A browser may permit no storage; then the value lasts as long as the page. */
export function store(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {}
}

/** A value that is kept in this browser, and is the same in all of its tabs. */
export function createKept<T>(name: string, initial: T) {
  const kept = createStore(stored(name, initial));
  addEventListener('storage', ({ key }) => {
    if (key === name || key === null) kept.set(stored(name, initial));
  });
  return {
    ...kept,
    set(next: T): void {
      kept.set(next);
      store(name, next);
    },
  };
}
