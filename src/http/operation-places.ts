import type { Signal } from '../rest/abort.ts';
import { overloaded } from '../schema/errors.ts';

export type OperationPlaces = ReturnType<typeof createOperationPlaces>;

/** A key may hold nine times as many places as are free: nine tenths if it is alone, and its share beside others. */
const MOST_OF_FREE = 9;

/** Limits the number of active operations, of all keys and of each, so that a key leaves places to the others. */
export function createOperationPlaces(limit: number) {
  let active = 0;
  const ofKeys = new Map<string, number>();
  /** True if another operation of this key would be rejected; `apiKey` is empty for a request without one. */
  const isFull = (apiKey: string) => {
    const free = limit - active;
    return free <= 0 || (ofKeys.get(apiKey) ?? 0) > MOST_OF_FREE * free;
  };
  const count = (apiKey: string, change: 1 | -1) => {
    active += change;
    const ofKey = (ofKeys.get(apiKey) ?? 0) + change;
    if (ofKey > 0) ofKeys.set(apiKey, ofKey);
    else ofKeys.delete(apiKey);
  };
  return {
    isFull,
    gauge: { name: 'portico_operations_active', help: 'Operations being executed', read: () => active },
    /** Counts an operation until the returned function is called or `disconnected` aborts. @throws GraphQLError at the limit */
    enter(apiKey: string, disconnected: Signal): () => void {
      if (isFull(apiKey)) throw overloaded();
      let isActive = !disconnected.aborted;
      if (isActive) count(apiKey, 1);
      const release = () => {
        if (isActive) count(apiKey, -1);
        isActive = false;
        disconnected.removeEventListener('abort', release);
      };
      disconnected.addEventListener('abort', release);
      return release;
    },
  };
}
