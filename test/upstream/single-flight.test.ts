import { getEventListeners } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Signal } from '../../src/abort.ts';
import { deadline } from '../../src/upstream/call/deadline.ts';
import { createSingleFlight } from '../../src/upstream/call/single-flight.ts';
import { UpstreamCancelled, UpstreamTimeout } from '../../src/upstream/errors.ts';
import { type Send, UpstreamRequest } from '../../src/upstream/layer.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { responseOf } from '../support/response.ts';

interface Call {
  name: string;
  outcome: Gate<string>;
  signal: Signal;
}

interface Sent {
  /** The first of the paths is the request's own. */
  paths?: string[];
  keyHash?: string;
  resource?: string;
  signal?: AbortSignal;
}

/** Sends a request, and resolves with the text of the response. */
function sendWith(send: Send, { paths = ['a'], keyHash = '', resource = '', signal }: Sent = {}) {
  const [path = ''] = paths;
  const target = { resource, path, paths: () => paths, allPaths: () => paths };
  const caller = { apiKey: '', keyHash, signal: signal ?? new AbortController().signal };
  return new Promise<string>((resolve, reject) => {
    send(new UpstreamRequest(caller, target), {
      onResponse: ({ body }) => resolve(String(body)),
      onError: reject,
      onReleased: () => {},
    });
  });
}

/** Calls that end when the test ends them, or when they are aborted. */
function start({ isShared = true, timeoutMs = 10_000 } = {}) {
  const flights = createSingleFlight(isShared);
  const made: Call[] = [];
  const joined: { disconnect: AbortController; response: Promise<string>; isFirst: boolean }[] = [];
  const call: Send = ({ target, signal }, handler) => {
    const outcome = createGate<string>();
    signal.addEventListener('abort', () => outcome.fail(signal.reason));
    made.push({ name: target.path, outcome, signal });
    outcome.promise.then(
      (text) => handler.onResponse(responseOf(200, text)),
      (reason: Error) => handler.onError(reason),
    );
  };
  const send = flights.layer(deadline(timeoutMs)(call));
  const join = (...paths: string[]) => {
    const disconnect = new AbortController();
    const before = made.length;
    const response = sendWith(send, { paths, signal: disconnect.signal });
    // Each test looks at the outcomes that it is about.
    response.catch(() => {});
    const one = { disconnect, response, isFirst: made.length > before };
    joined.push(one);
    return one;
  };
  const listeners = () =>
    joined.map(({ disconnect }) => getEventListeners(disconnect.signal, 'abort').length);
  return { flights, made, send, join, listeners };
}

const left = new Error('left');

it('joins the first of the given paths that is in flight, and requests the first where none is', async () => {
  const { made, join } = start();
  const [both, clients] = [join('both'), join('clients')];
  const joining = [join('bare', 'clients', 'both'), join('bare', 'projects', 'both'), join('bare', 'other')];
  expect(made.map(({ name }) => name)).toEqual(['both', 'clients', 'bare']);
  for (const { name, outcome } of made) outcome.open(name);
  expect(await Promise.all([both, clients].map(({ response }) => response))).toEqual(['both', 'clients']);
  expect(await Promise.all(joining.map(({ response }) => response))).toEqual(['clients', 'both', 'bare']);
});

it('joins no call of another key, and none for another resource', () => {
  const { made, send } = start();
  const sent = [
    { keyHash: 'key' },
    { keyHash: 'key' },
    { keyHash: 'other' },
    { keyHash: 'key', resource: 'r' },
  ];
  for (const one of sent) void sendWith(send, one);
  expect(made).toHaveLength(3);
  for (const { outcome } of made) outcome.open('');
});

it('reports a call that fails before it returns', async () => {
  const flights = createSingleFlight(true);
  const failure = new Error('at once');
  await expect(sendWith(flights.layer((_, handler) => handler.onError(failure)))).rejects.toBe(failure);
  expect(flights.size).toBe(0);
});

it('does not join a call that returns less', async () => {
  const { made, join } = start();
  join('bare', 'both');
  expect(join('both').isFirst).toBe(true);
  expect(made).toHaveLength(2);
  for (const { outcome } of made) outcome.open('');
});

it('aborts the call when the last waiter leaves, and not before', async () => {
  const { flights, made, join, listeners } = start();
  const [first, second] = [join('a'), join('a')];
  first.disconnect.abort(left);
  expect(made[0]?.signal.aborted).toBe(false);
  second.disconnect.abort(left);
  expect(made[0]?.signal.reason).toBeInstanceOf(UpstreamCancelled);
  expect(flights.size).toBe(0);
  await expect(second.response).rejects.toBe(left);
  await immediate();
  expect(listeners()).toEqual([0, 0]);
});

it.each<[string, (outcome: Gate<string>) => void]>([
  ['an answer', (outcome) => outcome.open('old')],
  ['an error', (outcome) => outcome.fail(new Error('old'))],
])('does not join a call that has ended with %s', async (_, end) => {
  const { made, join } = start();
  const again = () => join('a');
  const next = join('a').response.then(again, again);
  if (made[0]) end(made[0].outcome);
  expect((await next).isFirst).toBe(true);
  made[1]?.outcome.open('new');
  expect(await (await next).response).toBe('new');
});

it('times out for all waiters at the deadline of the call, and the next request makes a new call', async () => {
  const { made, join, listeners } = start({ timeoutMs: 30 });
  const [first, second] = [join('a'), join('a')];
  const next = new Promise<ReturnType<typeof join>>((resolve) => {
    made[0]?.signal.addEventListener('abort', () => resolve(join('a')));
  });
  await expect(first.response).rejects.toBeInstanceOf(UpstreamTimeout);
  await expect(second.response).rejects.toBeInstanceOf(UpstreamTimeout);
  expect(made[0]?.signal.reason).toBeInstanceOf(UpstreamTimeout);
  expect((await next).isFirst).toBe(true);
  made[1]?.outcome.open('answer');
  expect(await (await next).response).toBe('answer');
  expect(listeners()).toEqual([0, 0, 0]);
});

it('shares nothing where that is off: each call has its own deadline and is aborted by itself', async () => {
  const { flights, made, join } = start({ isShared: false, timeoutMs: 30 });
  const all = [join('a'), join('a'), join('a')];
  expect(all.map(({ isFirst }) => isFirst)).toEqual([true, true, true]);
  expect(flights.size).toBe(0);
  made[0]?.outcome.open('own');
  all[1]?.disconnect.abort(left);
  expect(made[1]?.signal.reason).toBeInstanceOf(UpstreamCancelled);
  expect(await all[0]?.response).toBe('own');
  await expect(all[1]?.response).rejects.toBe(left);
  await expect(all[2]?.response).rejects.toBeInstanceOf(UpstreamTimeout);
});

interface Running {
  made: Call;
  waiting: Set<Waiter>;
}

interface Waiter {
  disconnect: AbortController;
  outcome: string | undefined;
}

it('settles every request as a simple model does, in any order of joining, leaving, success and failure', async () => {
  const pick = fc.nat(20);
  const names = fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 });
  const step = fc.oneof(
    { arbitrary: names.map((joined) => ({ act: 'join', names: joined, pick: 0 })), weight: 3 },
    fc.record({ act: fc.constantFrom('leave', 'succeed', 'fail'), names: fc.constant([]), pick }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { flights, made, join, listeners } = start();
      const inFlight = new Map<string, Running>();
      const all: { waiter: Waiter; seen: () => string | undefined }[] = [];
      const end = (name: string, outcome: string) => {
        for (const waiter of inFlight.get(name)?.waiting ?? []) waiter.outcome = outcome;
        inFlight.delete(name);
      };
      for (const { act, names: named, pick: number } of steps) {
        const running = [...inFlight].at(number % Math.max(inFlight.size, 1));
        if (act === 'join') {
          const known = named.find((name) => inFlight.has(name));
          const { isFirst, disconnect, response } = join(...named);
          expect(isFirst).toBe(known === undefined);
          let seen: string | undefined;
          response.then(
            (text) => (seen = text),
            (error: Error) => (seen = error.message),
          );
          const waiter: Waiter = { disconnect, outcome: undefined };
          all.push({ waiter, seen: () => seen });
          const last = made.at(-1);
          if (known !== undefined) inFlight.get(known)?.waiting.add(waiter);
          else if (last) inFlight.set(last.name, { made: last, waiting: new Set([waiter]) });
        } else if (running && act === 'leave') {
          const [name, { waiting, made: call }] = running;
          const waiter = [...waiting].at(number % waiting.size);
          if (!waiter) continue;
          waiting.delete(waiter);
          waiter.outcome = 'left';
          waiter.disconnect.abort(left);
          expect(call.signal.aborted).toBe(waiting.size === 0);
          if (waiting.size === 0) end(name, '');
        } else if (running) {
          const [name, { made: call }] = running;
          const outcome = `${act} ${made.indexOf(call)}`;
          end(name, outcome);
          if (act === 'succeed') call.outcome.open(outcome);
          else call.outcome.fail(new Error(outcome));
        }
        await immediate();
        expect(flights.size).toBe(inFlight.size);
        expect(all.map(({ seen }) => seen())).toEqual(all.map(({ waiter }) => waiter.outcome));
      }
      for (const { outcome } of made) outcome.open('');
      await immediate();
      expect(flights.size).toBe(0);
      expect(listeners().every((count) => count === 0)).toBe(true);
      expect(all.every(({ seen }) => seen() !== undefined)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
