import type { Relation, Site } from '../upstream/resources.ts';

/** A REST call that was made for a site, and the relations that it returns. */
export interface SiteCall {
  include: readonly Relation[];
  promise: Promise<Site | null>;
}

/** The site of several calls, with the relations of all of them; null where it does not exist. */
export async function mergedSite(calls: readonly SiteCall[]): Promise<Site | null> {
  const outcomes = await Promise.allSettled(calls.map((call) => call.promise));
  const sites = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (sites.includes(null)) return null;
  const pieces = outcomes.map((outcome, n) =>
    outcome.status === 'fulfilled' ? outcome.value : inPlaceOf(calls[n]?.include ?? [], outcome.reason),
  );
  // A failed call costs its own relations, as long as another has returned the site.
  return sites.length > 0 ? Object.assign({}, ...pieces) : (calls[0]?.promise ?? null);
}

/** The failure in the place of each relation. */
export function inPlaceOf(include: readonly Relation[], failure: unknown): object {
  return Object.fromEntries(include.map((relation) => [relation, failure]));
}
