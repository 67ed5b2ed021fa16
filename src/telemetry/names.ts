import type { Operation } from './operation.ts';

/** No name of GraphQL has these characters. */
const ANONYMOUS = '(anonymous)';
const OTHER = '(other)';
const NONE = '(none)';

/** Longest operation name in logs, metrics and traces, in characters. A GraphQL name is ASCII: as many bytes. */
const MAX_NAME_CHARACTERS = 64;

/** How many operations have a label of their own name: of those that clients name, and of trusted documents. */
const MAX_CLIENT_NAMES = 100;
const MAX_TRUSTED_NAMES = 1000;

/** The name, or its first characters and `…`, which no name has. */
export function shownName(name: string): string {
  return name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;
}

interface NameLimits {
  client: number;
  trusted: number;
}

const defaults: NameLimits = { client: MAX_CLIENT_NAMES, trusted: MAX_TRUSTED_NAMES };

/**
 * The label of an operation: its name, if that is short enough and one of the first of the trusted documents, or one of
 * the first that brought data from the REST API. The two have separate limits, so that invented names take no trusted
 * name's place.
 */
export function createNames(limits = defaults): (operation: Operation) => string {
  const trusted = new Set<string>();
  const client = new Set<string>();
  return ({ name, documentHash, isTrusted, calls }) => {
    if (documentHash === null) return NONE;
    if (name === null) return ANONYMOUS;
    if (name.length > MAX_NAME_CHARACTERS) return OTHER;
    if (trusted.has(name) || client.has(name)) return name;
    const [known, limit] = isTrusted ? [trusted, limits.trusted] : [client, limits.client];
    if (known.size >= limit) return OTHER;
    if (!isTrusted && !calls.some(({ status }) => status === 200)) return OTHER;
    known.add(name);
    return name;
  };
}

/**
 * Keeps the first `limit` labels and returns `(other)` for the rest. For the sum of several processes, each of which has
 * its own first names, as does each process that replaces one of them. A label that is kept once is always kept, so that
 * no counter falls.
 */
export function createLabelLimit(limit = MAX_CLIENT_NAMES + MAX_TRUSTED_NAMES): (label: string) => string {
  const kept = new Set([ANONYMOUS, OTHER, NONE]);
  const max = kept.size + limit;
  return (label) => {
    if (kept.size < max) kept.add(label);
    return kept.has(label) ? label : OTHER;
  };
}
