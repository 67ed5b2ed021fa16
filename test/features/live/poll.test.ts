import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Subscriber } from '../../../src/features/live/polls/poll.ts';
import { KeyMemory } from '../../../src/features/live/polls/poll-state.ts';
import { KeyPolls, PollReader } from '../../../src/features/live/polls/polls.ts';
import type { UpstreamResponse } from '../../../src/rest/call.ts';
import type { Caller } from '../../../src/rest/caller.ts';
import { UpstreamCancelled, UpstreamRateLimited, UpstreamUnavailable } from '../../../src/rest/errors.ts';
import type { Relation } from '../../../src/rest/resources.ts';
import { SiteTarget } from '../../../src/rest/resources.ts';
import { headersOf } from '../../support/response.ts';
import { bareSite } from '../../support/upstream.ts';

const INTERVAL_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(10_000);
});

/** Lets the promise jobs and ticks end in which calls are made and responses arrive. */
async function settle(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function advance(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await settle();
}

interface Sent {
  path: string;
  signal: Caller['signal'];
  respond(json: object): void;
  fail(error: Error): void;
}

/** A key with a poll of SITE-1, whose calls the test ends. Its jitter is 1. */
function start({ callsPerMinute = 100_000 } = {}) {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => random.mockRestore());
  const sent: Sent[] = [];
  const memory = { used: 0, limit: 1_000_000 };
  const polls = new KeyPolls({
    key: { apiKey: 'key', keyHash: 'hash' },
    send: (caller, { path }) =>
      new Promise<UpstreamResponse>((resolve, reject) => {
        sent.push({
          path,
          signal: caller.signal,
          respond(json) {
            const body = Buffer.from(JSON.stringify(json));
            const rest = { retryAfter: undefined, notices: null, isDecoded: true, isStored: false };
            const relations = path.includes('?') ? (path.split('=')[1] ?? '').split(',') : [];
            const target = new SiteTarget('SITE-1', relations as Relation[]);
            const resource = target.fromJson(JSON.parse(String(body)), () => {});
            resolve({ status: 200, headers: headersOf(), body, sentPath: path, resource, ...rest });
          },
          fail: reject,
        });
      }),
    counters: { requests: 0, changes: 0 },
    memory: new KeyMemory(memory),
    staleMs: 60_000,
    callsPerMinute,
  });
  const createReader = (everyMs = INTERVAL_MS, counter = { polls: 0 }) => {
    const onChange = vi.fn();
    const options = { everyMs, counter, isFirst: false };
    const reader: Subscriber = { options, isReplaced: false, isLate: false, onChange };
    const poll = () => polls.poll('/v1/site/SITE-1', (include) => new SiteTarget('SITE-1', include), reader);
    const load = (include: readonly Relation[] = []) => poll().load(reader, include);
    return { reader, poll, counter, onChange, load };
  };
  const last = () => sent.at(-1) as Sent;
  const answer = async (json: object = bareSite('SITE-1')) => {
    last().respond(json);
    await settle();
  };
  /** Has a reader, whose first call returned at once. */
  async function startRead(everyMs = INTERVAL_MS) {
    const one = createReader(everyMs);
    const site = one.load();
    await settle();
    await answer();
    return { ...one, poll: one.poll(), site };
  }
  return { polls, sent, memory, createReader, last, answer, startRead };
}

it('makes one call for the loads of a tick, with the union of their relations', async () => {
  const { sent, createReader } = start();
  const reader = createReader();
  void reader.load(['projects']);
  void createReader().load(['clients']);
  void reader.load([]);
  await settle();
  expect(sent.map(({ path }) => path)).toEqual(['/v1/site/SITE-1?include=clients,projects']);
});

it('makes no second call while one is in progress, and then one for what that did not load', async () => {
  const { sent, createReader, last, answer } = start();
  void createReader().load();
  await settle();
  const late = createReader().load(['clients']);
  await advance(10 * INTERVAL_MS);
  expect(sent).toHaveLength(1);
  await answer();
  expect(sent.map(({ path }) => path)).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1?include=clients']);
  last().respond({ ...bareSite('SITE-1'), clients: [] });
  expect(await late).toMatchObject({ id: 'SITE-1', clients: [] });
});

it('makes no call for a reader that is released in the same tick', async () => {
  const { polls, sent, createReader } = start();
  const { reader, load } = createReader();
  void load();
  polls.release(reader);
  await settle();
  expect(sent).toEqual([]);
  expect(polls.size).toBe(0);
});

it('settles the loads of the readers that are left, and forgets those of one that is released', async () => {
  const { polls, createReader, last } = start();
  const [leaver, other] = [createReader(), createReader()];
  const settled = vi.fn();
  leaver.load().whenSettled(settled, settled);
  const site = other.load();
  await settle();
  polls.release(leaver.reader);
  expect(last().signal.aborted).toBe(false);
  last().respond(bareSite('SITE-1'));
  expect(await site).toMatchObject({ id: 'SITE-1' });
  await settle();
  expect(settled).not.toHaveBeenCalled();
});

it('aborts its call with the last reader, keeps nothing, and polls no more', async () => {
  const { polls, sent, memory, startRead } = start();
  const { reader } = await startRead();
  await advance(INTERVAL_MS);
  expect(sent).toHaveLength(2);
  expect(memory.used).toBeGreaterThan(0);
  polls.release(reader);
  expect(sent[1]?.signal.reason).toBeInstanceOf(UpstreamCancelled);
  sent[1]?.respond(bareSite('SITE-1'));
  await advance(10 * INTERVAL_MS);
  expect(sent).toHaveLength(2);
  expect(polls.size).toBe(0);
  expect(memory.used).toBe(0);
});

it('polls no more after the release of its last reader between two calls', async () => {
  const { polls, sent, startRead } = start();
  const { reader } = await startRead();
  polls.release(reader);
  await advance(10 * INTERVAL_MS);
  expect(sent).toHaveLength(1);
});

it('calls an interval after the start of the call before, of the most frequent reader', async () => {
  const { polls, sent, createReader, answer, startRead } = start();
  await startRead(10_000);
  const often = createReader(4_000);
  await advance(1_000);
  expect(await often.load()).toMatchObject({ id: 'SITE-1' });
  await advance(2_999);
  expect(sent).toHaveLength(1);
  await advance(1);
  expect(sent).toHaveLength(2);
  await advance(500);
  await answer();
  await advance(3_499);
  expect(sent).toHaveLength(2);
  await advance(1);
  expect(sent).toHaveLength(3);
  await answer();
  polls.release(often.reader);
  await advance(9_999);
  expect(sent).toHaveLength(3);
  await advance(1);
  expect(sent).toHaveLength(4);
});

it('is called by its plan between two calls only', async () => {
  const { polls, sent, createReader } = start();
  const reader = createReader();
  void reader.load();
  polls.schedule();
  await settle();
  polls.schedule();
  await advance(10 * INTERVAL_MS);
  expect(sent).toHaveLength(1);
});

it('waits until the pause of its key is over, and after it as long as its jitter says', async () => {
  const { polls, sent, startRead } = start();
  polls.onError(new UpstreamRateLimited(5));
  const { poll } = await startRead();
  expect(poll.spread).toBe(0.5);
  await advance(5_000 + INTERVAL_MS / 10 - 1);
  expect(sent).toHaveLength(1);
  await advance(1);
  expect(sent).toHaveLength(2);
});

it('is called at once after a call that took longer than the interval, where the pause of its key is over', async () => {
  const { polls, sent, createReader, answer } = start();
  void createReader().load();
  await settle();
  polls.onError(new UpstreamRateLimited(1));
  await advance(2 * INTERVAL_MS);
  await answer();
  await advance(1);
  expect(sent).toHaveLength(2);
});

it('is not due after what it showed has ended its last reader', async () => {
  const { polls, sent, answer, startRead } = start();
  const { reader, onChange } = await startRead();
  await advance(INTERVAL_MS);
  onChange.mockImplementation(() => polls.release(reader));
  await answer({ ...bareSite('SITE-1'), city: 'Salem' });
  expect(vi.getTimerCount()).toBe(0);
  expect(sent).toHaveLength(2);
});

it('waits for the rate limiter of its key', async () => {
  const { polls, sent, startRead } = start({ callsPerMinute: 60 });
  await startRead();
  const waitMs = () => Math.ceil(polls.admittedAtMs - performance.now());
  while (waitMs() < 2 * INTERVAL_MS) polls.count();
  await advance(waitMs() - 1);
  expect(sent).toHaveLength(1);
  await advance(1);
  expect(sent).toHaveLength(2);
});

it('notifies its readers of what has changed, and of nothing else', async () => {
  const { createReader, answer, startRead } = start();
  const { onChange } = await startRead();
  const other = createReader();
  void other.load();
  onChange.mockClear();
  await advance(INTERVAL_MS);
  await answer();
  expect(onChange).not.toHaveBeenCalled();
  await advance(INTERVAL_MS);
  await answer({ ...bareSite('SITE-1'), city: 'Salem' });
  expect([onChange, other.onChange].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

it('notifies a reader whose load ended at its deadline once there is something to read', async () => {
  const { polls, answer } = start();
  const onOutdated = vi.fn();
  const options = { everyMs: INTERVAL_MS, counter: { polls: 0 }, isFirst: true, fields: new Set<string>() };
  const reader = new PollReader(polls, { ...options, maxPolls: 1, timeoutMs: 50, onOutdated });
  onTestFinished(() => reader.release());
  const read = reader.site('SITE-1', []).catch((error: Error) => error.name);
  await settle();
  await advance(50);
  expect(await read).toBe('UpstreamTimeout');
  reader.end();
  expect(onOutdated).not.toHaveBeenCalled();
  await answer();
  expect(onOutdated).toHaveBeenCalled();
});

it('marks what it shows as stale at its time, once, and notifies its readers', async () => {
  const { polls, answer, startRead } = start();
  const { poll, reader, onChange } = await startRead(600_000);
  polls.onError(new UpstreamUnavailable(503, {}, 1));
  polls.schedule();
  await advance(59_999);
  expect(poll.staleOf(reader)).toEqual([]);
  await advance(1);
  expect(poll.staleOf(reader)).toEqual([{ path: '/v1/site/SITE-1', ageSeconds: 60 }]);
  await advance(60_000);
  expect(onChange).toHaveBeenCalledTimes(1);
  await advance(480_000);
  await answer();
  expect(poll.staleOf(reader)).toEqual([]);
});

it('shows to a reader without relations what is stale of the site alone', async () => {
  const { polls, createReader, startRead } = start();
  const { poll } = await startRead(600_000);
  polls.onError(new UpstreamUnavailable(503, {}, 1));
  polls.schedule();
  await advance(60_000);
  expect(poll.staleOf(createReader().reader)).toEqual([{ path: '/v1/site/SITE-1', ageSeconds: 60 }]);
});

it('counts a poll once for the readers that share a counter', async () => {
  const { createReader, answer, startRead } = start();
  const { counter } = await startRead();
  const same = createReader(INTERVAL_MS, counter);
  const other = createReader();
  void same.load();
  void other.load();
  await advance(INTERVAL_MS);
  await answer();
  expect([counter.polls, other.counter.polls]).toEqual([2, 1]);
});

it('counts while a reader is not replaced', async () => {
  const { createReader, startRead } = start();
  expect(createReader().poll().isCounted).toBe(false);
  const { poll, reader } = await startRead();
  expect(poll.isCounted).toBe(true);
  Object.assign(reader, { isReplaced: true });
  expect(poll.isCounted).toBe(false);
  void createReader().load();
  expect(poll.isCounted).toBe(true);
});
