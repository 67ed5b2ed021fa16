/** Loads each id by itself: one that fails, or cannot be an id, fails alone. */
export function settleEach<T>(ids: readonly string[], load: (id: string) => Promise<T>): Promise<T>[] {
  return ids.map((id) => {
    const loaded = loadOne(id, load);
    // The executor may give up on a list before it looks at its elements.
    loaded.catch(noop);
    return loaded;
  });
}

function loadOne<T>(id: string, load: (id: string) => Promise<T>): Promise<T> {
  try {
    return load(id);
  } catch (error) {
    return Promise.reject(error);
  }
}

function noop(): void {}
