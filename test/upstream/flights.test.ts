import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Signal } from '../../src/signal.ts';
import { UpstreamAbandoned, UpstreamTimeout } from '../../src/upstream/errors.ts';
import { createFlights, type FlightOptions } from '../../src/upstream/flights.ts';
import { createGate, type Gate } from '../harness/gate.ts';

interface Made {
  name: string;
  landing: Gate<string>;
  signal: Signal;
}

/** Flights whose calls land when the test says so; they end early when they are aborted, as calls do. */
function start(options: Partial<FlightOptions> = {}) {
  const flights = createFlights<string>({ isShared: true, timeoutMs: 10_000, ...options });
  const made: Made[] = [];
  const joining: { departure: AbortController; answer: Promise<string>; isFirst: boolean }[] = [];
  const join = (...names: string[]) => {
    const departure = new AbortController();
    const [path = ''] = names;
    const target = { thing: '', path, paths: () => names };
    const underway = flights.find('', target);
    const flight =
      underway ??
      flights.open('', target, (signal, landing) => {
        const gate = createGate<string>();
        signal.addEventListener('abort', () => gate.fail(signal.reason));
        made.push({ name: path, landing: gate, signal });
        gate.promise.then(
          (answer) => landing.answered(answer),
          (reason: Error) => landing.failed(reason),
        );
      });
    const answer = flight.wait(departure.signal, (text) => text);
    // Each test looks at the outcomes that it is about.
    answer.catch(() => {});
    const one = { departure, answer, isFirst: !underway };
    joining.push(one);
    return one;
  };
  const listeners = () => joining.map(({ departure }) => getEventListeners(departure.signal, 'abort').length);
  return { flights, made, join, listeners };
}

const left = new Error('left');

it('makes one call for all who ask for it while it is under way', async () => {
  const { flights, made, join, listeners } = start();
  const all = [join('a'), join('a'), join('a')];
  expect(all.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
  expect(flights.size).toBe(1);
  made[0]?.landing.open('answer');
  expect(await Promise.all(all.map(({ answer }) => answer))).toEqual(['answer', 'answer', 'answer']);
  expect(made).toHaveLength(1);
  expect(flights.size).toBe(0);
  expect(listeners()).toEqual([0, 0, 0]);
});

it('joins the first of the named calls that is under way, and makes the first named where none is', async () => {
  const { made, join } = start();
  const [both, clients] = [join('both'), join('clients')];
  const riding = [join('bare', 'clients', 'both'), join('bare', 'projects', 'both'), join('bare', 'other')];
  expect(made.map(({ name }) => name)).toEqual(['both', 'clients', 'bare']);
  for (const { name, landing } of made) landing.open(name);
  expect(await Promise.all([both, clients].map(({ answer }) => answer))).toEqual(['both', 'clients']);
  expect(await Promise.all(riding.map(({ answer }) => answer))).toEqual(['clients', 'both', 'bare']);
});

it('joins nothing of another owner, and nothing for another thing', () => {
  const { flights } = start();
  const target = (thing: string) => ({ thing, path: 'a', paths: () => ['a'] });
  flights.open('owner', target('thing'), () => {});
  expect(flights.find('owner', target('thing'))?.path).toBe('a');
  expect(flights.find('other', target('thing'))).toBeUndefined();
  expect(flights.find('owner', target('other'))).toBeUndefined();
});

it('gives each who waits what he makes of the answer himself', async () => {
  const { flights } = start();
  const target = { thing: '', path: 'a', paths: () => ['a'] };
  let land = (_: string) => {};
  const flight = flights.open('', target, (_, landing) => (land = (answer) => landing.answered(answer)));
  const { signal } = new AbortController();
  const flaw = new Error('not to be understood');
  const misread = flight.wait(signal, () => {
    throw flaw;
  });
  const read = flight.wait(signal, (answer) => answer.length);
  land('four');
  await expect(misread).rejects.toBe(flaw);
  expect(await read).toBe(4);
});

it('hears of a call that ends before it has begun to wait', async () => {
  const { flights } = start();
  const target = { thing: '', path: 'a', paths: () => ['a'] };
  const failure = new Error('at once');
  const flight = flights.open('', target, (_, landing) => landing.failed(failure));
  await expect(flight.wait(new AbortController().signal, String)).rejects.toBe(failure);
  expect(flights.size).toBe(0);
});

it('does not join a call for less', async () => {
  const { made, join } = start();
  join('bare', 'both');
  expect(join('both').isFirst).toBe(true);
  expect(made).toHaveLength(2);
  for (const { landing } of made) landing.open('');
});

it.each([0, 1, 2])('lets number %i of three leave without touching the others', async (leaver) => {
  const { made, join, listeners } = start();
  const all = [join('a'), join('a'), join('a')];
  all[leaver]?.departure.abort(left);
  await expect(all[leaver]?.answer).rejects.toBe(left);
  expect(made[0]?.signal.aborted).toBe(false);
  made[0]?.landing.open('answer');
  for (const one of all.filter((_, n) => n !== leaver)) expect(await one.answer).toBe('answer');
  expect(listeners()).toEqual([0, 0, 0]);
});

it('gives the call up when the last who waits leaves, and not before', async () => {
  const { flights, made, join, listeners } = start();
  const [first, second] = [join('a'), join('a')];
  first.departure.abort(left);
  expect(made[0]?.signal.aborted).toBe(false);
  second.departure.abort(left);
  expect(made[0]?.signal.reason).toBeInstanceOf(UpstreamAbandoned);
  expect(flights.size).toBe(0);
  await expect(second.answer).rejects.toBe(left);
  await turn();
  expect(listeners()).toEqual([0, 0]);
});

it('makes a new call for who comes after the last has left', async () => {
  const { made, join } = start();
  join('a').departure.abort(left);
  const next = join('a');
  expect(next.isFirst).toBe(true);
  await turn();
  made[1]?.landing.open('answer');
  expect(await next.answer).toBe('answer');
});

it('gives an error to all who waited and to nobody after', async () => {
  const { flights, made, join } = start();
  const all = [join('a'), join('a')];
  const failure = new Error('no answer');
  made[0]?.landing.fail(failure);
  for (const { answer } of all) await expect(answer).rejects.toBe(failure);
  expect(flights.size).toBe(0);
  const next = join('a');
  made[1]?.landing.open('answer');
  expect(await next.answer).toBe('answer');
});

it.each<[string, (landing: Gate<string>) => void]>([
  ['an answer', (landing) => landing.open('old')],
  ['an error', (landing) => landing.fail(new Error('old'))],
])('does not join a call of which somebody has heard %s', async (_, end) => {
  const { made, join } = start();
  const again = () => join('a');
  const next = join('a').answer.then(again, again);
  if (made[0]) end(made[0].landing);
  expect((await next).isFirst).toBe(true);
  made[1]?.landing.open('new');
  expect(await (await next).answer).toBe('new');
});

it('ends a call at its deadline for all who wait, and the next makes a new one', async () => {
  const { made, join, listeners } = start({ timeoutMs: 30 });
  const [first, second] = [join('a'), join('a')];
  const next = new Promise<ReturnType<typeof join>>((resolve) => {
    made[0]?.signal.addEventListener('abort', () => resolve(join('a')));
  });
  await expect(first.answer).rejects.toBeInstanceOf(UpstreamTimeout);
  await expect(second.answer).rejects.toBeInstanceOf(UpstreamTimeout);
  expect(made[0]?.signal.reason).toBeInstanceOf(UpstreamTimeout);
  expect((await next).isFirst).toBe(true);
  made[1]?.landing.open('answer');
  expect(await (await next).answer).toBe('answer');
  expect(listeners()).toEqual([0, 0, 0]);
});

it('shares nothing where that is not wanted, and keeps the deadline and the leaving of each', async () => {
  const { flights, made, join } = start({ isShared: false, timeoutMs: 30 });
  const all = [join('a'), join('a'), join('a')];
  expect(all.map(({ isFirst }) => isFirst)).toEqual([true, true, true]);
  expect(flights.size).toBe(0);
  made[0]?.landing.open('own');
  all[1]?.departure.abort(left);
  expect(made[1]?.signal.reason).toBeInstanceOf(UpstreamAbandoned);
  expect(await all[0]?.answer).toBe('own');
  await expect(all[1]?.answer).rejects.toBe(left);
  await expect(all[2]?.answer).rejects.toBeInstanceOf(UpstreamTimeout);
});

interface Flight {
  made: Made;
  waiting: Set<Waiter>;
}

interface Waiter {
  departure: AbortController;
  outcome: string | undefined;
}

it('settles everybody as a simple model does, in any order of joining, leaving, landing and failing', async () => {
  const pick = fc.nat(20);
  const names = fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 });
  const step = fc.oneof(
    { arbitrary: names.map((joined) => ({ act: 'join', names: joined, pick: 0 })), weight: 3 },
    fc.record({ act: fc.constantFrom('leave', 'land', 'fail'), names: fc.constant([]), pick }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { flights, made, join, listeners } = start();
      const air = new Map<string, Flight>();
      const everybody: { waiter: Waiter; seen: () => string | undefined }[] = [];
      const end = (name: string, outcome: string) => {
        for (const waiter of air.get(name)?.waiting ?? []) waiter.outcome = outcome;
        air.delete(name);
      };
      for (const { act, names: asked, pick: number } of steps) {
        const flying = [...air].at(number % Math.max(air.size, 1));
        if (act === 'join') {
          const known = asked.find((name) => air.has(name));
          const { isFirst, departure, answer } = join(...asked);
          expect(isFirst).toBe(known === undefined);
          let seen: string | undefined;
          answer.then(
            (text) => (seen = text),
            (error: Error) => (seen = error.message),
          );
          const waiter: Waiter = { departure, outcome: undefined };
          everybody.push({ waiter, seen: () => seen });
          const last = made.at(-1);
          if (known !== undefined) air.get(known)?.waiting.add(waiter);
          else if (last) air.set(last.name, { made: last, waiting: new Set([waiter]) });
        } else if (flying && act === 'leave') {
          const [name, { waiting, made: call }] = flying;
          const waiter = [...waiting].at(number % waiting.size);
          if (!waiter) continue;
          waiting.delete(waiter);
          waiter.outcome = 'left';
          waiter.departure.abort(left);
          expect(call.signal.aborted).toBe(waiting.size === 0);
          if (waiting.size === 0) end(name, '');
        } else if (flying) {
          const [name, { made: call }] = flying;
          const outcome = `${act} ${made.indexOf(call)}`;
          end(name, outcome);
          if (act === 'land') call.landing.open(outcome);
          else call.landing.fail(new Error(outcome));
        }
        await turn();
        expect(flights.size).toBe(air.size);
        expect(everybody.map(({ seen }) => seen())).toEqual(everybody.map(({ waiter }) => waiter.outcome));
      }
      for (const { landing } of made) landing.open('');
      await turn();
      expect(flights.size).toBe(0);
      expect(listeners().every((count) => count === 0)).toBe(true);
      expect(everybody.every(({ seen }) => seen() !== undefined)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
