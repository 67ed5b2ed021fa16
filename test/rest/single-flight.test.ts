import { getEventListeners } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Signal } from '../../src/rest/abort.ts';
import { type Send, UpstreamRequest, type UpstreamResponse } from '../../src/rest/call.ts';
import { apiKeyOf, type UpstreamCall } from '../../src/rest/caller.ts';
import {
  UpstreamForbidden,
  UpstreamRateLimited,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../src/rest/errors.ts';
import { retry } from '../../src/rest/guards/retry.ts';
import { singleFlight } from '../../src/rest/single-flight.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { responseOf } from '../support/response.ts';

interface Call {
  name: string;
  outcome: Gate<string | UpstreamResponse>;
  signal: Signal;
}

interface Sent {
  /** The first of the paths is the request's own. */
  paths?: string[];
  key?: string;
  signal?: AbortSignal;
  isPoll?: boolean;
  report?: (call: UpstreamCall) => void;
}

/** Sends a request, and resolves with the text of the response. */
function sendWith(send: Send, sent: Sent = {}) {
  const { paths = ['a'], key = '', isPoll = false, report = () => {} } = sent;
  const [path = ''] = paths;
  const target = { resource: 'site', path, paths: () => paths, fromJson: () => null };
  const caller = { key: apiKeyOf(key), signal: sent.signal ?? new AbortController().signal, report };
  const request = new UpstreamRequest(caller, target);
  request.isPoll = isPoll;
  return new Promise<string>((resolve, reject) =>
    send(request, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(String(outcome.body)))),
  );
}

/** Calls that end when the test ends them, or when they are aborted. */
function start() {
  const made: Call[] = [];
  const joined: {
    disconnect: AbortController;
    response: Promise<string>;
    isFirst: boolean;
    reports: UpstreamCall[];
  }[] = [];
  const call: Send = ({ target, signal }, done) => {
    const outcome: Call['outcome'] = createGate();
    signal.addEventListener('abort', () => outcome.fail(signal.reason));
    made.push({ name: target.path, outcome, signal });
    outcome.promise.then((sent) => done(typeof sent === 'string' ? responseOf(200, sent) : sent), done);
  };
  const send = singleFlight()(retry(10_000, 0)(call));
  const join = (...paths: string[]) => {
    const disconnect = new AbortController();
    const before = made.length;
    const reports: UpstreamCall[] = [];
    const report = (call: UpstreamCall) => reports.push(call);
    const response = sendWith(send, { paths, signal: disconnect.signal, report });
    // Each test looks at the outcomes that it is about.
    response.catch(() => {});
    const one = { disconnect, response, isFirst: made.length > before, reports };
    joined.push(one);
    return one;
  };
  const listeners = () =>
    joined.map(({ disconnect }) => getEventListeners(disconnect.signal, 'abort').length);
  return { made, send, join, listeners };
}

const left = new Error('left');

it('joins no call of another key, and none of another path', () => {
  const { made, send } = start();
  const sent = [{ key: 'key' }, { key: 'key' }, { key: 'other' }, { key: 'key', paths: ['other'] }];
  for (const one of sent) void sendWith(send, one);
  expect(made).toHaveLength(3);
  for (const { outcome } of made) outcome.open('');
});

/** The end of a call: a response, or the error of a layer below. */
type Outcome = UpstreamResponse | Error;

function end(call: Call | undefined, outcome: Outcome): void {
  if (outcome instanceof Error) call?.outcome.fail(outcome);
  else call?.outcome.open(outcome);
}

it.each<[string, Outcome]>([
  ['500', responseOf(500)],
  ['503', responseOf(503)],
  ['a timeout', new UpstreamTimeout(1)],
  ['503, retried', new UpstreamUnavailable(503)],
])('requests alone, once, what a larger call did not return because of %s', async (_, outcome) => {
  const { made, join } = start();
  const larger = join('both');
  const smaller = [join('bare', 'both'), join('bare', 'both')];
  join('clients');
  const first = larger.response.then(
    () => made.length,
    () => made.length,
  );
  end(made[0], outcome);
  expect(await first, 'the larger request has its outcome first').toBe(2);
  await immediate();
  expect(made.map(({ name }) => name)).toEqual(['both', 'clients', 'bare']);
  made[2]?.outcome.open('bare');
  expect(await Promise.all(smaller.map(({ response }) => response))).toEqual(['bare', 'bare']);
});

it('requests nothing alone where the caller has left meanwhile', async () => {
  const { made, join } = start();
  const larger = join('both');
  const smaller = join('bare', 'both');
  const leave = () => smaller.disconnect.abort(left);
  larger.response.then(leave, leave);
  end(made[0], responseOf(500));
  await expect(smaller.response).rejects.toBe(left);
  expect(made).toHaveLength(1);
});

it.each<[string, string, Outcome]>([
  ['404', 'bare', responseOf(404)],
  ['no access', 'bare', new UpstreamForbidden()],
  ['no connection', 'bare', new UpstreamUnavailable(null)],
  ['500', 'both', responseOf(500)],
  ['a timeout', 'both', new UpstreamTimeout(1)],
])('shares %s of a call for both relations with one for %s', async (_, path, outcome) => {
  const { made, join } = start();
  const all = [join('both'), join(path, 'both')];
  end(made[0], outcome);
  const seen = await Promise.all(all.map(({ response }) => response.catch((error: Error) => error)));
  expect(seen).toEqual(Array(2).fill(outcome instanceof Error ? outcome : `${outcome.status}`));
  await immediate();
  expect(made).toHaveLength(1);
});

it.each<[string, Outcome, Partial<UpstreamCall>]>([
  ['a response', responseOf(200), { status: 200 }],
  ['a 429', { ...responseOf(429), retryAfter: 7 }, { status: 429, retryAfter: 7 }],
  ['a closed rate-limit gate', new UpstreamRateLimited(7), { status: 429, retryAfter: 7 }],
  ['no response', new UpstreamUnavailable(null), { status: null }],
])(
  'reports %s of a joined call to the caller that joined it, with its own path',
  async (_, outcome, reported) => {
    const { made, join } = start();
    const all = [join('both'), join('bare', 'both')];
    end(made[0], outcome);
    await Promise.allSettled(all.map(({ response }) => response));
    expect(all.map(({ reports }) => reports)).toEqual([
      [],
      [{ method: 'GET', path: 'bare', source: 'coalesced', durationMs: expect.any(Number), ...reported }],
    ]);
  },
);

it.each([
  [true, true, 1],
  [true, false, 2],
  [false, true, 2],
])('retries the call of two requests, of which these are polls: %s, %s', async (first, second, calls) => {
  let made = 0;
  const send = singleFlight()(
    retry(
      60_000,
      100,
      () => 0,
    )((_, done) => {
      made += 1;
      setImmediate(() => done(responseOf(503)));
    }),
  );
  await Promise.all([sendWith(send, { isPoll: first }), sendWith(send, { isPoll: second })]);
  expect(made).toBe(calls);
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
      const { made, join, listeners } = start();
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
        expect(all.map(({ seen }) => seen())).toEqual(all.map(({ waiter }) => waiter.outcome));
      }
      for (const { outcome } of made) outcome.open('');
      await immediate();
      expect(listeners().every((count) => count === 0)).toBe(true);
      expect(all.every(({ seen }) => seen() !== undefined)).toBe(true);
    }),
    { numRuns: 150 },
  );
});
