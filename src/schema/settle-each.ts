import { ignoreRejection, SyncPromise } from '../sync-promise.ts';

/** Loads each id by itself: one that fails, or cannot be an id, fails alone. */
export function settleEach<T>(ids: readonly string[], load: (id: string) => Promise<T>): Promise<T>[] {
  return ids.map((id) => {
    const loaded = loadOne(id, load);
    // The executor may give up on a list before it looks at its elements.
    ignoreRejection(loaded);
    return loaded;
  });
}

function loadOne<T>(id: string, load: (id: string) => Promise<T>): Promise<T> {
  try {
    return load(id);
  } catch (error) {
    const failed = new SyncPromise<T>();
    failed.reject(error);
    return failed;
  }
}
