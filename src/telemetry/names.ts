import type { Operation } from './operation.ts';

/** No name of GraphQL has these characters. */
const ANONYMOUS = '(anonymous)';
const OTHER = '(other)';
const NONE = '(none)';

/**
 * The label of an operation: its name, where that is the operator's own or one of the first `limit` that brought
 * anything from the REST API, so that whoever makes names up takes nobody's place.
 */
export function createNames(limit: number): (operation: Operation) => string {
  const known = new Set<string>();
  return ({ name, documentHash, isTrusted, calls }) => {
    if (documentHash === null) return NONE;
    if (name === null) return ANONYMOUS;
    if (isTrusted || known.has(name)) return name;
    if (known.size >= limit || !calls.some(({ status }) => status === 200)) return OTHER;
    known.add(name);
    return name;
  };
}
