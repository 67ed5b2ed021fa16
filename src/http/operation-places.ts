import type { Signal } from '../rest/abort.ts';
import type { ApiKey } from '../rest/caller.ts';
import { memoized } from '../rest/memo.ts';
import { overloaded } from '../schema/errors.ts';

export type OperationPlaces = ReturnType<typeof createOperationPlaces>;

/** A key may hold nine times as many places as are free: nine tenths if it is alone, and its share beside others. */
const MOST_OF_FREE = 9;

/** Limits the number of active operations, of all keys and of each, so that a key leaves places to the others. */
export function createOperationPlaces(limit: number) {
  let active = 0;
  const ofKey = memoized((_: ApiKey) => ({ active: 0 }));
  /** True if another operation of this key would be rejected. */
  const isFull = (key: ApiKey) => {
    const free = limit - active;
    return free <= 0 || ofKey(key).active > MOST_OF_FREE * free;
  };
  return {
    isFull,
    gauge: { name: 'portico_operations_active', help: 'Operations being executed', read: () => active },
    /** Counts an operation until the returned function is called or `disconnected` aborts. @throws GraphQLError at the limit */
    enter(key: ApiKey, disconnected: Signal): () => void {
      if (isFull(key)) throw overloaded();
      const own = ofKey(key);
      let held = disconnected.aborted ? 0 : 1;
      active += held;
      own.active += held;
      const release = () => {
        active -= held;
        own.active -= held;
        held = 0;
        disconnected.removeEventListener('abort', release);
      };
      disconnected.addEventListener('abort', release);
      return release;
    },
  };
}
