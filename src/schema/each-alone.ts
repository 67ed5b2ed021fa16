/** Loads each id by itself: one that fails, or cannot be an id, fails alone. */
export function eachAlone<T>(ids: readonly string[], load: (id: string) => Promise<T>): Promise<T>[] {
  return ids.map((id) => {
    const loaded = new Promise<T>((resolve) => resolve(load(id)));
    // The executor may give up on a list before it looks at its elements.
    loaded.catch(() => {});
    return loaded;
  });
}
