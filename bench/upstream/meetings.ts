/** How often the upstream was asked, and how often it would have been had no two equal calls been under way together. */
export interface Tally {
  calls: number;
  instants: number;
}

/** Notes calls as they come and go. Equal ones whose times overlap are one instant: they could have shared an answer. */
export function createMeetings() {
  const underWay = new Map<string, number>();
  const tally: Tally = { calls: 0, instants: 0 };
  return {
    tally: (): Tally => ({ ...tally }),
    /** Call what comes back when the answer leaves. */
    enter(name: string): () => void {
      const others = underWay.get(name) ?? 0;
      tally.calls += 1;
      if (others === 0) tally.instants += 1;
      underWay.set(name, others + 1);
      return () => {
        const left = (underWay.get(name) ?? 1) - 1;
        if (left === 0) underWay.delete(name);
        else underWay.set(name, left);
      };
    },
  };
}
