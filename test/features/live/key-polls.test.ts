import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { KeyMemory } from '../../../src/features/live/polls/poll-state.ts';
import { KeyPolls } from '../../../src/features/live/polls/polls.ts';
import { UpstreamForbidden, UpstreamRateLimited } from '../../../src/rest/errors.ts';
import { SiteTarget } from '../../../src/rest/resources.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(1_000);
});

/** The polls of one key, whose calls get no response. */
function start({ callsPerMinute = 60, maxPolls = 2 } = {}) {
  const polls = new KeyPolls({
    key: { apiKey: '', keyHash: '' },
    send: () => new Promise(() => {}),
    memory: new KeyMemory({ used: 0, limit: 1_000_000 }),
    staleMs: 60_000,
    counters: { requests: 0, changes: 0 },
    callsPerMinute,
    maxPollsPerKey: maxPolls,
  });
  function createReader({ everyMs = 1_000, isFirst = true } = {}) {
    const options = { everyMs, isFirst, counter: { polls: 0 } };
    const reader = { options, isReplaced: false, isLate: false, onChange: vi.fn() };
    onTestFinished(() => polls.release(reader));
    return {
      reader,
      read(id: string) {
        const target = new SiteTarget(id, []);
        const poll = polls.poll(target.resource, (include) => new SiteTarget(id, include), reader);
        void poll.load(reader, []);
        return poll;
      },
    };
  }
  const pausedMs = () => Math.max(polls.pausedUntilMs(performance.now()) - performance.now(), 0);
  return { polls, createReader, pausedMs };
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
    const waitMs = polls.admittedAtMs - performance.now();
    if (waitMs > 0) vi.advanceTimersByTime(Math.ceil(waitMs));
    else {
      polls.count();
      admittedMs.push(performance.now() - startMs);
    }
  }
  expect(admittedMs.filter((ms) => ms === 0)).toHaveLength(atOnce);
  expect(admittedMs).toHaveLength(callsPerMinute);
});

it('extends the intervals with the number of polls, by their jitter', () => {
  const { polls, createReader } = start();
  const { read } = createReader();
  for (const id of ['SITE-1', 'SITE-2']) read(id);
  const intervalsMs = (everyMs: number) =>
    [0, 1].map((spread) => Math.round(polls.intervalMs({ everyMs, spread })));
  expect(intervalsMs(1_000)).toEqual([2_000, 2_200]);
  expect(intervalsMs(10_000)).toEqual([9_000, 11_000]);
});

it('is throttled while a poll is less frequent than its readers want', () => {
  const { polls, createReader } = start();
  expect(polls.isThrottled).toBe(false);
  createReader({ everyMs: 1_000 }).read('SITE-1');
  expect(polls.isThrottled).toBe(false);
  createReader({ everyMs: 10_000 }).read('SITE-2');
  expect(polls.isThrottled).toBe(true);
});

it('is throttled while a pause lasts', () => {
  const { polls } = start();
  polls.onError(new UpstreamRateLimited(5));
  vi.advanceTimersByTime(4_999);
  expect(polls.isThrottled).toBe(true);
  vi.advanceTimersByTime(1);
  expect(polls.isThrottled).toBe(false);
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
  polls.onSuccess();
  expect(pausedMs(), 'a response ends the series').toBe(0);
  polls.onError(limited);
  expect(pausedMs()).toBe(2_000);
});

it('holds the polls that were called since a 403 while the rest of the quota is reserved', () => {
  const { polls } = start();
  expect(polls.pausedUntilMs(performance.now())).toBe(0);
  polls.onNotices({ quota: null, reservedMs: 30_000, deprecation: null });
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

it('has a waiting reader read again when another has left its room', () => {
  const { polls, createReader } = start({ maxPolls: 1 });
  const { reader, read } = createReader();
  read('SITE-1');
  const waiting = createReader();
  expect(() => waiting.read('SITE-2')).toThrow();
  expect(polls.isWaiting(waiting.reader)).toBe(true);
  reader.isReplaced = true;
  polls.release(createReader().reader);
  expect(waiting.reader.onChange, 'of one that reads again').not.toHaveBeenCalled();
  polls.release(reader);
  expect(waiting.reader.onChange).toHaveBeenCalledOnce();
  waiting.read('SITE-2');
  polls.release(waiting.reader);
  expect([polls.size, polls.isWaiting(waiting.reader)]).toEqual([0, false]);
});
