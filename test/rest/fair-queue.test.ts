import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { apiKeyOf } from '../../src/rest/caller.ts';
import { FairQueue } from '../../src/rest/guards/fair-queue.ts';

interface Entry {
  key: string;
  state: 'waiting' | 'active' | 'rejected' | 'left' | 'done';
  /** It was admitted before `acquire` returned. */
  isAtOnce: boolean;
  /** Ends the call, or stops waiting. */
  release(): void;
}

/** A queue, and all calls that have been through it. */
function start({ connections, maxQueued = 10_000 }: { connections: number; maxQueued?: number }) {
  const queue = new FairQueue(connections, maxQueued);
  const entries: Entry[] = [];
  /** Admitted after a wait, in that order. */
  const served: Entry[] = [];
  const acquire = (key: string): Entry => {
    const entry: Entry = { key, state: 'waiting', isAtOnce: false, release: () => {} };
    entries.push(entry);
    const permit = queue.acquire(apiKeyOf(key));
    if (!permit) entry.state = 'rejected';
    else {
      permit.onEnd = (isAdmitted) => {
        expect(entry.state).toBe('waiting');
        if (isAdmitted) served.push(entry);
        entry.state = isAdmitted ? 'active' : 'rejected';
      };
      entry.isAtOnce = permit.state === 'admitted';
      if (entry.isAtOnce) entry.state = 'active';
      entry.release = () => {
        entry.state = entry.state === 'waiting' ? 'left' : 'done';
        permit.release();
      };
    }
    return entry;
  };
  return { queue, entries, served, acquire };
}

const states = (entries: Entry[]) => entries.map(({ state }) => state);

it('does not notify a call that has left in between, and gives its connection to the next', async () => {
  const { queue, acquire, served } = start({ connections: 1 });
  const first = acquire('a');
  const [leaving, next] = [acquire('b'), acquire('c')];
  first.release();
  // It has the connection by now, and was not notified.
  leaving.release();
  await immediate();
  expect(states([leaving, next])).toEqual(['left', 'active']);
  expect(served).toEqual([next]);
  expect([queue.active, queue.queued]).toEqual([1, 0]);
});

it('is fair and bounded, in any order of arrivals, departures and ends', async () => {
  const step = fc.oneof(
    {
      arbitrary: fc.constantFrom('a', 'a', 'a', 'b', 'b', 'c').map((key) => ({ key, pick: 0 })),
      weight: 3,
    },
    { arbitrary: fc.nat(99).map((pick) => ({ key: 'end', pick })), weight: 2 },
    { arbitrary: fc.nat(99).map((pick) => ({ key: 'abort', pick })), weight: 1 },
  );
  const sizes = fc.record({
    connections: fc.integer({ min: 1, max: 9 }),
    maxQueued: fc.integer({ min: 0, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(step, { maxLength: 60 }), async (size, steps) => {
      const { queue, entries, served, acquire } = start(size);
      const reserved = Math.floor(size.connections / 4);
      /** For a key that waits without an active call: the keys that were admitted in the meantime. */
      const overtakers = new Map<string, string[]>();
      const of = (state: Entry['state'], key?: string) =>
        entries.filter((one) => one.state === state && (key === undefined || one.key === key));
      const mayBeActive = (key: string, active = of('active')) =>
        active.length < size.connections - (active.some((one) => one.key === key) ? reserved : 0);

      for (const { key, pick } of steps) {
        const [active, waiting, before] = [of('active'), of('waiting'), served.length];
        const rejected = of('rejected').length;
        if (key === 'end' || key === 'abort') {
          const those = key === 'end' ? active : waiting;
          const one = those.at(pick % Math.max(those.length, 1));
          // The second release is ignored.
          for (let n = 0; n < 2; n += 1) one?.release();
        } else {
          const isToBeActive = mayBeActive(key) && !waiting.some((one) => one.key === key);
          const entry = acquire(key);
          await immediate();
          expect(entry.isAtOnce, 'is active where that is allowed').toBe(isToBeActive);
          const overflows = !isToBeActive && waiting.length >= size.maxQueued;
          expect(of('rejected').length - rejected, 'one loses its place').toBe(overflows ? 1 : 0);
          const loser = [...waiting, entry].find((one) => one.state === 'rejected');
          const lengthOf = (name: string) => [...waiting, entry].filter((one) => one.key === name).length;
          const most = Math.max(...['a', 'b', 'c'].map(lengthOf));
          if (loser) expect(lengthOf(loser.key), 'the key with the most').toBe(most);
          if (loser && loser !== entry)
            expect(lengthOf(key), 'more than those of the new call').toBeLessThan(most);
          const last = [...waiting, entry].findLast((one) => one.key === loser?.key);
          expect(last, 'and its last').toBe(loser);
        }
        await immediate();

        expect(of('active').length).toBeLessThanOrEqual(size.connections);
        expect(of('waiting').length).toBeLessThanOrEqual(size.maxQueued);
        for (const one of of('waiting')) expect(mayBeActive(one.key), 'waits for a reason').toBe(false);
        for (const one of served.slice(before)) {
          expect(waiting, 'was waiting').toContain(one);
          const earlier = waiting.slice(0, waiting.indexOf(one));
          expect(earlier.filter((each) => each.key === one.key && each.state === 'waiting')).toEqual([]);
        }
        for (const name of ['a', 'b', 'c']) {
          const isHungry = of('waiting', name).length > 0 && of('active', name).length === 0;
          const others = isHungry ? [...(overtakers.get(name) ?? [])] : [];
          const wasHungry =
            waiting.some((one) => one.key === name) && !active.some((one) => one.key === name);
          if (isHungry && wasHungry) others.push(...served.slice(before).map((one) => one.key));
          expect(new Set(others).size, 'no other key twice before it').toBe(others.length);
          overtakers.set(name, others);
        }
      }
      for (let active = of('active'); active.length > 0; active = of('active')) {
        for (const one of active) one.release();
        await immediate();
      }
      expect(of('waiting')).toEqual([]);
      expect([queue.active, queue.queued]).toEqual([0, 0]);
    }),
    { numRuns: 100 },
  );
});
