import { apiKey } from '../../request/api-key.ts';
import { createStore } from '../../store.ts';
import { type Access, addToAccess, unknownAccess } from './access.ts';

/** By key, in memory alone: a stored text, a link or the history must not have another key in it. */
const accesses = new Map<string, Access>();

/** That of the key of the field or, after an operation, of the key that it was sent with. */
export const keyAccess = createStore(unknownAccess);

apiKey.subscribe(() => show(apiKey.get()));

/** Adds the calls that an operation with this key has made. */
export function addCalls(key: string | undefined, calls: Parameters<typeof addToAccess>[1]): void {
  if (key === undefined) return;
  accesses.set(key, addToAccess(accesses.get(key) ?? unknownAccess, calls));
  show(key);
}

function show(key: string): void {
  keyAccess.set(accesses.get(key) ?? unknownAccess);
}
