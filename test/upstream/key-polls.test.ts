import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { SyncPromise } from '../../src/sync-promise.ts';
import { UpstreamForbidden, UpstreamRateLimited } from '../../src/upstream/errors.ts';
import { KeyPolls } from '../../src/upstream/polls/key-polls.ts';
import { MemoryLimit } from '../../src/upstream/polls/poll-state.ts';
import { SiteTarget } from '../../src/upstream/resources.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(1_000);
});

/** The polls of one key, whose calls get no response. */
function start({ callsPerMinute = 60, maxPolls = 2 } = {}) {
  const onEmpty = vi.fn();
  const polls = new KeyPolls({
    key: { apiKey: '', keyHash: '' },
    send: () => new Promise(() => {}),
    shared: null,
    memory: new MemoryLimit(1_000_000).ofKey(''),
    staleMs: 60_000,
    counters: { requests: 0, changes: 0 },
    callsPerMinute,
    maxPolls,
    onEmpty,
  });
  function createReader({ everyMs = 1_000, isFirst = true } = {}) {
    const reader = { everyMs, isFirst, isReplaced: false, counter: { polls: 0 }, onChange: vi.fn() };
    return {
      reader,
      read(id: string) {
        const target = new SiteTarget(id, []);
        const poll = polls.poll(target.resource, (include) => new SiteTarget(id, include), reader);
        poll.load({ subscriber: reader, include: [], since: 0, promise: new SyncPromise() });
        onTestFinished(() => poll.release(reader));
        return poll;
      },
    };
  }
  const pausedMs = () => Math.max(polls.pausedUntilMs(performance.now()) - performance.now(), 0);
  return { polls, createReader, onEmpty, pausedMs };
}

it.each([
  [60, 6],
  [10, 1],
  [5, 1],
])('admits %i calls in a minute, %i of them at once', (callsPerMinute, atOnce) => {
  const { polls } = start({ callsPerMinute });
  const startMs = performance.now();
  const admittedMs: number[] = [];
  while (performance.now() < startMs + 60_000) {
    const waitMs = polls.acquire();
    if (waitMs > 0) vi.advanceTimersByTime(Math.ceil(waitMs));
    else admittedMs.push(performance.now() - startMs);
  }
  expect(admittedMs.filter((ms) => ms === 0)).toHaveLength(atOnce);
  expect(admittedMs).toHaveLength(callsPerMinute);
});

it('extends the intervals with the number of polls, by their jitter', () => {
  const { polls, createReader } = start();
  const { read } = createReader();
  for (const id of ['SITE-1', 'SITE-2']) read(id);
  expect([0.9, 1.1].map((jitter) => polls.intervalMs(1_000, jitter))).toEqual([2_000, 2_200]);
  expect([0.9, 1.1].map((jitter) => polls.intervalMs(10_000, jitter))).toEqual([9_000, 11_000]);
});

it('is stretched while a poll is less frequent than its readers want', () => {
  const { polls, createReader } = start();
  expect(polls.isStretched).toBe(false);
  createReader({ everyMs: 1_000 }).read('SITE-1');
  expect(polls.isStretched).toBe(false);
  createReader({ everyMs: 10_000 }).read('SITE-2');
  expect(polls.isStretched).toBe(true);
});

it('is stretched while a pause lasts', () => {
  const { polls } = start();
  polls.onError(new UpstreamRateLimited(5));
  vi.advanceTimersByTime(4_999);
  expect(polls.isStretched).toBe(true);
  vi.advanceTimersByTime(1);
  expect(polls.isStretched).toBe(false);
});

it('pauses twice the shortest interval after a 429 without Retry-After, and twice as long after the next one', () => {
  const { polls, createReader, pausedMs } = start();
  createReader({ everyMs: 1_000 }).read('SITE-1');
  createReader({ everyMs: 10_000 }).read('SITE-2');
  const limited = new UpstreamRateLimited(undefined);
  polls.onError(limited);
  polls.onError(limited);
  expect(pausedMs(), 'calls that were in flight together').toBe(2_000);
  vi.advanceTimersByTime(2_000);
  polls.onError(limited);
  expect(pausedMs()).toBe(4_000);
  vi.advanceTimersByTime(4_000);
  polls.onHeaders({});
  expect(pausedMs(), 'a response ends the series').toBe(0);
  polls.onError(limited);
  expect(pausedMs()).toBe(2_000);
});

it('holds the polls that were called since a 403 while the rest of the quota is reserved', () => {
  const { polls } = start();
  polls.onHeaders({});
  expect(polls.pausedUntilMs(performance.now())).toBe(0);
  polls.onHeaders({ ratelimit: '"key";r=1;t=30', 'ratelimit-policy': '"key";q=100;w=60' });
  const reserved = performance.now() + 30_000;
  polls.onError(new UpstreamForbidden());
  const nowMs = performance.now();
  expect([nowMs - 1, nowMs].map((startedAtMs) => polls.pausedUntilMs(startedAtMs))).toEqual([0, reserved]);
});

it('names the limit of the polls', () => {
  const { read } = start({ maxPolls: 1 }).createReader();
  read('SITE-1');
  expect(() => read('SITE-2')).toThrow('read more than 1 sites and conversations');
});

it('has at most twice as many polls while readers are replaced', () => {
  const { createReader } = start();
  const readers = [1, 2].map(() => createReader({ isFirst: false }));
  for (const [n, { reader, read }] of readers.entries()) {
    for (const m of [1, 2]) read(`SITE-${n}${m}`);
    reader.isReplaced = true;
  }
  const { read } = createReader({ isFirst: false });
  expect(() => read('SITE-1')).toThrow('read more than 2 sites and conversations');
});

it('has a waiting reader read again when another has left its room, and is empty after the last one', () => {
  const { polls, createReader, onEmpty } = start({ maxPolls: 1 });
  const { reader, read } = createReader();
  const poll = read('SITE-1');
  const waiting = createReader();
  expect(() => waiting.read('SITE-2')).toThrow();
  reader.isReplaced = true;
  expect(polls.hasRoomFor(waiting.reader), 'of one that reads again').toBe(false);
  poll.release(reader);
  polls.release(reader);
  expect(waiting.reader.onChange).toHaveBeenCalledOnce();
  const next = waiting.read('SITE-2');
  next.release(waiting.reader);
  expect(onEmpty).not.toHaveBeenCalled();
  polls.release(waiting.reader);
  expect(onEmpty).toHaveBeenCalledOnce();
});
