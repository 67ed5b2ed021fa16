import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UpstreamSpared } from '../../src/upstream/errors.ts';
import { createQueue } from '../../src/upstream/queue.ts';

interface Entry {
  owner: string;
  state: 'waiting' | 'at work' | 'refused' | 'left' | 'done';
  /** It was at work before `enter` returned. */
  isAtOnce: boolean;
  /** Ends the call, or gives up waiting. */
  leave(): void;
}

/** A queue, and everybody who has entered it. */
function start(options: { connections: number; places?: number }) {
  const queue = createQueue({ places: 10_000, ...options });
  const entries: Entry[] = [];
  /** Who was admitted after a wait, in that order. */
  const served: Entry[] = [];
  const enter = (owner: string): Entry => {
    const entry: Entry = { owner, state: 'waiting', isAtOnce: false, leave: () => {} };
    const refused = (reason: unknown) => {
      expect(reason).toBeInstanceOf(UpstreamSpared);
      expect(reason).toHaveProperty('by', 'queue');
      entry.state = 'refused';
    };
    entries.push(entry);
    try {
      const stay = queue.enter(owner, {
        admitted() {
          expect(entry.state).toBe('waiting');
          served.push(entry);
          entry.state = 'at work';
        },
        refused,
      });
      entry.isAtOnce = stay.isAdmitted;
      if (entry.isAtOnce) entry.state = 'at work';
      entry.leave = () => {
        entry.state = entry.state === 'waiting' ? 'left' : 'done';
        stay.leave();
      };
    } catch (error) {
      refused(error);
    }
    return entry;
  };
  const many = (count: number, owner: string) => Array.from({ length: count }, () => enter(owner));
  return { queue, entries, served, enter, many };
}

const states = (entries: Entry[]) => entries.map(({ state }) => state);
const count = (entries: Entry[], state: Entry['state']) =>
  entries.filter((one) => one.state === state).length;

it('admits at once while connections are free, and never more than there are', async () => {
  const { enter, entries } = start({ connections: 4 });
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(enter);
  expect(all.map(({ isAtOnce }) => isAtOnce)).toEqual([true, true, true, true, false, false]);
  all[0]?.leave();
  all[1]?.leave();
  await turn();
  expect(states(entries)).toEqual(['done', 'done', 'at work', 'at work', 'at work', 'at work']);
});

it('serves one key in the order of its calls', async () => {
  const { enter, many, served } = start({ connections: 1 });
  const first = enter('a');
  const waiting = many(5, 'a');
  first.leave();
  for (const entry of waiting) {
    await turn();
    expect(entry.state).toBe('at work');
    entry.leave();
  }
  expect(served).toEqual(waiting);
});

it('serves the keys in turn, however many calls of each wait', async () => {
  const { enter, many, served } = start({ connections: 1 });
  let current = enter('a');
  many(4, 'a');
  many(3, 'b');
  many(1, 'c');
  while (current.state === 'at work') {
    current.leave();
    await turn();
    current = served.at(-1) ?? current;
  }
  expect(served.map(({ owner }) => owner).join('')).toBe('abcababa');
});

it('keeps a quarter of the connections for keys that have none', async () => {
  const { enter, many } = start({ connections: 8 });
  const busy = many(8, 'a');
  expect(count(busy, 'at work')).toBe(6);
  expect([enter('b'), enter('c'), enter('d')].map(({ isAtOnce }) => isAtOnce)).toEqual([true, true, false]);
});

it('does not delay the first call of a key by a thousand of another', async () => {
  const { enter, many } = start({ connections: 8 });
  const busy = many(1_000, 'a');
  const first = enter('b');
  expect(first.isAtOnce).toBe(true);
  enter('c');
  const waiting = enter('d');
  expect(waiting.state).toBe('waiting');
  busy[0]?.leave();
  await turn();
  expect(waiting.state).toBe('at work');
  expect(count(busy, 'at work')).toBe(5);
});

it('keeps nothing back where there are fewer than four connections', () => {
  const { many } = start({ connections: 3 });
  expect(states(many(4, 'a'))).toEqual(['at work', 'at work', 'at work', 'waiting']);
});

it('refuses who comes when all places are taken by his own key', async () => {
  const { queue, enter, many } = start({ connections: 1, places: 2 });
  const entries = many(4, 'a');
  expect(states(entries)).toEqual(['at work', 'waiting', 'waiting', 'refused']);
  expect(queue.waiting).toBe(2);
  const other = enter('b');
  await turn();
  expect(states([...entries, other])).toEqual(['at work', 'waiting', 'refused', 'refused', 'waiting']);
});

it('refuses who comes rather than one of a key that has no more calls waiting than his', async () => {
  const { many, entries } = start({ connections: 1, places: 3 });
  for (const owner of ['a', 'b', 'c', 'd', 'e']) many(1, owner);
  await turn();
  expect(states(entries)).toEqual(['at work', 'waiting', 'waiting', 'waiting', 'refused']);
});

it('lets nobody wait where there is no place', async () => {
  const { enter } = start({ connections: 1, places: 0 });
  const first = enter('a');
  expect(states([enter('a'), enter('b')])).toEqual(['refused', 'refused']);
  first.leave();
  expect(enter('b').isAtOnce).toBe(true);
});

it('gives the place of who leaves while he waits to nobody, and his turn to the next', async () => {
  const { queue, enter, many } = start({ connections: 1, places: 3 });
  const first = enter('a');
  const [leaving, next] = many(2, 'a');
  const other = enter('b');
  leaving?.leave();
  await turn();
  expect(states([enter('b'), enter('b')])).toEqual(['waiting', 'refused']);
  first.leave();
  await turn();
  expect([leaving?.state, next?.state, other.state]).toEqual(['left', 'at work', 'waiting']);
  expect([queue.atWork, queue.waiting]).toEqual([1, 2]);
});

it('does not tell who has left before he was told, and gives his connection to the next', async () => {
  const { queue, enter, served } = start({ connections: 1 });
  const first = enter('a');
  const [leaving, next] = [enter('b'), enter('c')];
  first.leave();
  // He has the connection by now, and does not know.
  leaving.leave();
  await turn();
  expect(states([leaving, next])).toEqual(['left', 'at work']);
  expect(served).toEqual([next]);
  expect([queue.atWork, queue.waiting]).toEqual([1, 0]);
});

it('is fair and bounded, whoever enters, leaves and ends in whatever order', async () => {
  const step = fc.oneof(
    {
      arbitrary: fc.constantFrom('a', 'a', 'a', 'b', 'b', 'c').map((owner) => ({ owner, pick: 0 })),
      weight: 3,
    },
    { arbitrary: fc.nat(99).map((pick) => ({ owner: 'end', pick })), weight: 2 },
    { arbitrary: fc.nat(99).map((pick) => ({ owner: 'abort', pick })), weight: 1 },
  );
  const sizes = fc.record({
    connections: fc.integer({ min: 1, max: 9 }),
    places: fc.integer({ min: 0, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(step, { maxLength: 60 }), async (size, steps) => {
      const { queue, entries, served, enter } = start(size);
      const kept = Math.floor(size.connections / 4);
      /** For a key that waits with none at work: who else was served meanwhile. */
      const overtakers = new Map<string, string[]>();
      const of = (state: Entry['state'], owner?: string) =>
        entries.filter((one) => one.state === state && (owner === undefined || one.owner === owner));
      const canWork = (owner: string, working = of('at work')) =>
        working.length < size.connections - (working.some((one) => one.owner === owner) ? kept : 0);

      for (const { owner, pick } of steps) {
        const [working, waiting, before] = [of('at work'), of('waiting'), served.length];
        const refused = of('refused').length;
        if (owner === 'end') working.at(pick % Math.max(working.length, 1))?.leave();
        else if (owner === 'abort') waiting.at(pick % Math.max(waiting.length, 1))?.leave();
        else {
          const mayWork = canWork(owner) && !waiting.some((one) => one.owner === owner);
          const entry = enter(owner);
          await turn();
          expect(entry.isAtOnce, 'is at work where that is allowed').toBe(mayWork);
          const overflows = !mayWork && waiting.length >= size.places;
          expect(of('refused').length - refused, 'one loses its place').toBe(overflows ? 1 : 0);
          const loser = [...waiting, entry].find((one) => one.state === 'refused');
          const lengthOf = (name: string) => [...waiting, entry].filter((one) => one.owner === name).length;
          const most = Math.max(...['a', 'b', 'c'].map(lengthOf));
          if (loser) expect(lengthOf(loser.owner), 'the key with the most').toBe(most);
          if (loser && loser !== entry) expect(lengthOf(owner), 'more than who comes').toBeLessThan(most);
          const last = [...waiting, entry].findLast((one) => one.owner === loser?.owner);
          expect(last, 'and its last').toBe(loser);
        }
        await turn();

        expect(of('at work').length).toBeLessThanOrEqual(size.connections);
        expect(of('waiting').length).toBeLessThanOrEqual(size.places);
        for (const one of of('waiting')) expect(canWork(one.owner), 'waits for a reason').toBe(false);
        for (const one of served.slice(before)) {
          expect(waiting, 'was waiting').toContain(one);
          const earlier = waiting.slice(0, waiting.indexOf(one));
          expect(earlier.filter((each) => each.owner === one.owner && each.state === 'waiting')).toEqual([]);
        }
        for (const name of ['a', 'b', 'c']) {
          const isHungry = of('waiting', name).length > 0 && of('at work', name).length === 0;
          const others = isHungry ? [...(overtakers.get(name) ?? [])] : [];
          const wasHungry =
            waiting.some((one) => one.owner === name) && !working.some((one) => one.owner === name);
          if (isHungry && wasHungry) others.push(...served.slice(before).map((one) => one.owner));
          expect(new Set(others).size, 'nobody else twice before it').toBe(others.length);
          overtakers.set(name, others);
        }
      }
      for (let working = of('at work'); working.length > 0; working = of('at work')) {
        for (const one of working) one.leave();
        await turn();
      }
      expect(of('waiting')).toEqual([]);
      expect([queue.atWork, queue.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 300 },
  );
});

it('takes nothing back twice', async () => {
  const { queue, enter, many } = start({ connections: 1, places: 2 });
  const first = enter('a');
  const [leaving, next] = many(2, 'a');
  leaving?.leave();
  leaving?.leave();
  expect([queue.atWork, queue.waiting]).toEqual([1, 1]);
  first.leave();
  first.leave();
  await turn();
  expect(next?.state).toBe('at work');
  expect([queue.atWork, queue.waiting]).toEqual([1, 0]);
});
