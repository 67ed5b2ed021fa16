/** How many REST calls an operation makes: `known`, and `calls` for each element of each `list`. */
export interface Cost {
  /** The calls that the document and its variables decide. */
  known: number;
  /** The calls that depend on the data: by the path of a list in the response, the calls for each element. */
  forEach: { list: string; calls: number }[];
  /** How many calls one operation may make. */
  limit: number;
}

/** The cost of calls, each made once or, with `forEach`, for each element of that list. */
export function costOf(calls: readonly { forEach?: string }[], limit: number): Cost {
  const lists = new Map<string, number>();
  for (const { forEach } of calls)
    if (forEach !== undefined) lists.set(forEach, (lists.get(forEach) ?? 0) + 1);
  return {
    known: calls.filter(({ forEach }) => forEach === undefined).length,
    forEach: [...lists].map(([list, calls]) => ({ list, calls })),
    limit,
  };
}

/** The most calls that an operation makes while none fails. */
export function mostCalls({ known, forEach, limit }: Cost): number {
  return forEach.length === 0 ? known : Math.max(known, limit);
}

/** The cost as people read it: `1 + 2 × sites`. A list has its last name, if these differ. */
export function formulaOf({ known, forEach }: Cost): string {
  const isUnique = new Set(forEach.map(({ list }) => lastName(list))).size === forEach.length;
  const listName = isUnique ? lastName : (list: string) => list;
  const terms = forEach.map(({ list, calls }) =>
    calls === 1 ? listName(list) : `${calls} × ${listName(list)}`,
  );
  return [...(known > 0 || terms.length === 0 ? [known] : []), ...terms].join(' + ');
}

/**
 * How often in a minute an operation is executed for viewers who each send it every `everyMs`: for each `alone`,
 * and by a gateway, if those that ask during a REST call of another viewer join it (docs/explain.md).
 */
export function roundsPerMinute(viewers: number, everyMs: number, latencyMs: number) {
  const alone = (viewers * 60_000) / everyMs;
  const joining = ((viewers - 1) * latencyMs) / everyMs;
  return { alone, coalesced: Math.min(alone / (1 + joining), 60_000 / latencyMs) };
}

/** REST calls in a minute, in whole calls: those that the document decides, and the most if data decide. */
export interface CallsPerMinute {
  known: number;
  atMost: number;
}

export function callsPerMinute(cost: Cost, rounds: number): CallsPerMinute {
  return { known: Math.ceil(cost.known * rounds), atMost: Math.ceil(mostCalls(cost) * rounds) };
}

export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
