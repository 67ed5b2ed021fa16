import type { Signal } from '../abort.ts';
import { overloaded } from '../errors.ts';
import type { Gauge } from '../gauges.ts';

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Limits the number of active operations. `unread`: the response bytes that clients have not read, for which
 * no operation is admitted while they are too many.
 */
export function createAdmission(limit: number, unread?: { isOver(): boolean }) {
  let active = 0;
  const isFull = () => active >= limit || unread?.isOver() === true;
  return {
    isFull,
    gauge: {
      name: 'portico_operations_active',
      help: 'Operations being executed',
      read: () => active,
    } satisfies Gauge,
    /**
     * Counts an operation as active until the returned function is called or `disconnected` aborts.
     * @throws GraphQLError where the limit is reached
     */
    enter(disconnected: Signal): () => void {
      if (isFull()) throw overloaded();
      let isActive = !disconnected.aborted;
      if (isActive) active += 1;
      const release = () => {
        if (isActive) active -= 1;
        isActive = false;
        disconnected.removeEventListener('abort', release);
      };
      disconnected.addEventListener('abort', release);
      return release;
    },
  };
}
