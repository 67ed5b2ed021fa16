/** How many REST calls an operation makes: `known`, and `calls` for each element of each `list`. */
export interface Cost {
  /** The calls that the document and its variables decide. */
  known: number;
  /** The calls that depend on the data: by the path of a list in the response, the calls for each element. */
  forEach: { list: string; calls: number }[];
  /** How many calls one operation may make. */
  limit: number;
}

/** What is loaded once, or for each element of a list. Only a part of `Need`: GraphiQL imports this file. */
interface Counted {
  forEach?: string;
  later: { size: number };
}

export function costOf(needs: readonly Counted[], limit: number): Cost {
  const known = needs.filter(({ forEach }) => forEach === undefined);
  return {
    known: known.reduce((count, need) => count + callsOf(need), 0),
    forEach: needs.flatMap((need) =>
      need.forEach === undefined ? [] : [{ list: need.forEach, calls: callsOf(need) }],
    ),
    limit,
  };
}

/** One now, and one for all deferred relations: their fields resolve in one tick, when the site is loaded. */
function callsOf({ later }: Counted): number {
  return later.size > 0 ? 2 : 1;
}

/** The most calls that an operation makes while none fails. */
export function mostCalls({ known, forEach, limit }: Cost): number {
  return forEach.length === 0 ? known : Math.max(known, limit);
}

/** The cost as people read it: `1 + 2 × sites`. Lists have their last names alone where these differ. */
export function formulaOf({ known, forEach }: Cost): string {
  const names = forEach.map(({ list }) => lastName(list));
  const isUnique = new Set(names).size === names.length;
  const terms = forEach.map(({ list, calls }) => {
    const name = isUnique ? lastName(list) : list;
    return calls === 1 ? name : `${calls} × ${name}`;
  });
  return [...(known > 0 || terms.length === 0 ? [String(known)] : []), ...terms].join(' + ');
}

/** The last name of a path in the response. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
