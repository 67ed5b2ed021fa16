/**
 * Passes the responses of the upstream to the gateway one at a time, in an order that the test chooses, and the next
 * only when the gateway is idle. So "one tick" has an exact meaning, the time from one response to the
 * next, and every run of the same operation is the same.
 */
export interface Pace {
  /** How many responses the gateway has received. */
  tick(): number;
  /** Passes the response of `call` when the order reaches it. */
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
