import type { Operation } from './operation.ts';

/** No GraphQL name has these characters. */
const ANONYMOUS = '(anonymous)';
const OTHER = '(other)';
const NONE = '(none)';

/** Longest operation name in logs, metrics and traces, in characters. A GraphQL name is ASCII: as many bytes. */
const MAX_NAME_CHARACTERS = 64;

/** Operations with a label of their own: of the names that clients choose, and of those in trusted documents. */
const MAX_CLIENT_NAMES = 100;
const MAX_TRUSTED_NAMES = 1000;

/** The name, truncated with `…`, which no GraphQL name contains. */
export function shownName(name: string): string {
  return name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;
}

interface NameLimits {
  client: number;
  trusted: number;
}

const defaults: NameLimits = { client: MAX_CLIENT_NAMES, trusted: MAX_TRUSTED_NAMES };

/**
 * Returns the label of an operation: its name, if that is short enough and one of the first names in trusted documents, or
 * one of the first that got data from the REST API. The two limits are separate, so that invented names displace no trusted
 * name.
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
