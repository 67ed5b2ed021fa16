/** Counts calls, and which of them overlap in time with an equal one: those could have shared its response. */
export function createOverlapCounter() {
  const inFlight = new Map<string, number>();
  let calls = 0;
  let distinct = 0;
  return {
    counts: () => ({ calls, distinct }),
    /** Counts a call; call the returned function when its response is sent. */
    begin(name: string): () => void {
      const equal = inFlight.get(name) ?? 0;
      calls += 1;
      if (equal === 0) distinct += 1;
      inFlight.set(name, equal + 1);
      return () => {
        const left = (inFlight.get(name) ?? 1) - 1;
        if (left === 0) inFlight.delete(name);
        else inFlight.set(name, left);
      };
    },
  };
}
