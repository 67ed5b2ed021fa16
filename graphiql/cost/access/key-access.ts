import { apiKey } from '../../request/api-key.ts';
import { createStore } from '../../store.ts';
import { type Access, addToAccess, unknownAccess } from './access.ts';

/** By key, in memory alone: a stored text, a link or the history must not have another key in it. */
const accesses = new Map<string, Access>();

/** That of the key of the field or, once an operation is sent, of the key that it is sent with. */
export const keyAccess = createStore(unknownAccess);

let shown = apiKey.get();

apiKey.subscribe(() => show(apiKey.get()));

/** Begins an operation with this key. Returns what adds the calls that it has made. */
export function startAccess(key = ''): (calls: Parameters<typeof addToAccess>[1]) => void {
  show(key);
  return (calls) => {
    accesses.set(key, addToAccess(accesses.get(key) ?? unknownAccess, calls));
    show(shown);
  };
}

function show(key: string): void {
  shown = key;
  keyAccess.set(accesses.get(key) ?? unknownAccess);
}
