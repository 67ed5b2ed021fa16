/**
 * Hands what arrives from upstream to the gateway one answer at a time, in an order of the test's choice, and the next
 * only when the gateway has nothing left to do. So "one tick" has an exact meaning, the time from one answer to the
 * next, and every run of the same operation is the same.
 */
export interface Pace {
  /** How many answers the gateway has. */
  tick(): number;
  /** Lets the answer of `call` pass in its turn. */
  pass<T>(call: () => Promise<T>): Promise<T>;
}

export function createPace(order: readonly number[]): Pace {
  const arrived: (() => void)[] = [];
  let underWay = 0;
  let tick = 0;

  const handOver = () => {
    if (underWay > 0 || arrived.length === 0) return;
    const [next] = arrived.splice((order[tick % order.length] ?? 0) % arrived.length, 1);
    tick += 1;
    next?.();
    setImmediate(handOver);
  };

  return {
    tick: () => tick,
    async pass(call) {
      underWay += 1;
      const [settled] = await Promise.allSettled([call()]);
      await new Promise<void>((resolve) => {
        arrived.push(resolve);
        underWay -= 1;
        if (underWay === 0) setImmediate(handOver);
      });
      if (settled.status === 'rejected') throw settled.reason;
      return settled.value;
    },
  };
}
