import assert from 'node:assert/strict';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { KeyPolls } from '../../../src/features/live/key-polls.ts';
import { PollReader } from '../../../src/features/live/poll-reader.ts';
import { apiKeyOf, type Caller } from '../../../src/rest/caller.ts';
import { UpstreamCancelled, UpstreamForbidden, UpstreamRateLimited } from '../../../src/rest/errors.ts';
import { testConfig } from '../../support/gateway.ts';
import { responseOf } from '../../support/response.ts';
import { settle } from './engine.ts';

const INTERVAL_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    random.mockRestore();
    vi.useRealTimers();
  });
  vi.advanceTimersByTime(10_000);
});

async function advance(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await settle();
}

/** The polls of a key, whose calls the test ends. Their jitter is 1. */
function start() {
  const sent: (Pick<Caller, 'key' | 'signal'> & { path: string; respond(): void })[] = [];
  const counts = { calls: 0, events: 0, bytes: 0 };
  const { live } = testConfig({ live: { callsPerMinute: 100_000 } });
  assert(live);
  const polls = new KeyPolls(
    apiKeyOf('key'),
    ({ caller: { key, signal }, target: { path } }) =>
      new Promise((resolve) => {
        const response = { ...responseOf(200), body: Buffer.from(path), resource: { path } };
        sent.push({ path, key, signal, respond: () => resolve(response) });
      }),
    counts,
    live,
  );
  function createReader({ everyMs = INTERVAL_MS } = {}) {
    const onChange = vi.fn();
    const reader = new PollReader(polls, { everyMs, isFirst: false, maxPolls: 50, onChange });
    onTestFinished(() => reader.release());
    return { reader, onChange };
  }
  const respond = async () => {
    sent.at(-1)?.respond();
    await settle();
  };
  /** Creates a reader whose first call has returned at once. */
  async function startRead(everyMs = INTERVAL_MS) {
    const one = createReader({ everyMs });
    void one.reader.site('SITE-1', []);
    await settle();
    await respond();
    return one;
  }
  return { polls, sent, counts, createReader, respond, startRead };
}

it('sends with the object that queries with its key have, once 2,000 other keys came between', async () => {
  const { sent, startRead } = start();
  await startRead();
  for (let n = 0; n < 2_000; n += 1) apiKeyOf(`${n}`);
  await advance(INTERVAL_MS);
  expect(sent.map(({ key }) => key === apiKeyOf('key'))).toEqual([false, true]);
});

it('makes no second call while one is in progress, and then one for what that did not load', async () => {
  const { sent, createReader, respond } = start();
  void createReader().reader.site('SITE-1', []);
  await settle();
  const late = createReader().reader.site('SITE-1', ['clients']);
  await advance(10 * INTERVAL_MS);
  expect(sent).toHaveLength(1);
  await respond();
  await respond();
  expect(sent.map(({ path }) => path)).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1?include=clients']);
  expect(await late).toEqual({ path: '/v1/site/SITE-1?include=clients' });
});

it('ends with its last reader: aborts its call, keeps nothing, and polls no more', async () => {
  const { polls, sent, counts, createReader, startRead } = start();
  const { reader } = await startRead();
  const other = createReader().reader;
  await other.site('SITE-1', []);
  await advance(INTERVAL_MS);
  other.release();
  expect(sent[1]?.signal.aborted).toBe(false);
  expect(counts.bytes).toBeGreaterThan(0);
  reader.release();
  expect(sent[1]?.signal.reason).toBeInstanceOf(UpstreamCancelled);
  sent[1]?.respond();
  await advance(10 * INTERVAL_MS);
  expect(sent).toHaveLength(2);
  expect([polls.size, counts.bytes, vi.getTimerCount()]).toEqual([0, 0, 0]);
});

it('calls an interval after the start of the call before, of the most frequent reader', async () => {
  const { polls, sent, createReader, respond, startRead } = start();
  await startRead(10_000);
  const { reader } = createReader({ everyMs: 4_000 });
  await advance(1_000);
  await reader.site('SITE-1', []);
  polls.schedule();
  const isCalledAfter = async (ms: number) => {
    const { length } = sent;
    await advance(ms - 1);
    expect(sent).toHaveLength(length);
    await advance(1);
    expect(sent).toHaveLength(length + 1);
  };
  await isCalledAfter(3_000);
  await advance(500);
  await respond();
  await isCalledAfter(3_500);
  await respond();
  reader.release();
  await isCalledAfter(10_000);
});

it('notifies its readers of a change, and of nothing else', async () => {
  const { createReader, respond, startRead } = start();
  const { reader, onChange } = await startRead();
  onChange.mockClear();
  await advance(INTERVAL_MS);
  await respond();
  expect(onChange).not.toHaveBeenCalled();
  // Its relations change the body.
  void createReader().reader.site('SITE-1', ['clients']);
  await settle();
  await respond();
  expect(onChange).toHaveBeenCalledOnce();
  expect(reader.isOutdated).toBe(true);
});

it.each([
  [5, 5_000],
  [undefined, 30_000],
])('waits after a 429 with Retry-After %s', async (seconds, pauseMs) => {
  const { polls, sent, startRead } = start();
  polls.onError(new UpstreamRateLimited(seconds));
  await startRead();
  await advance(pauseMs - 1);
  expect(sent).toHaveLength(1);
  await advance(1);
  expect(sent).toHaveLength(2);
});

it('waits while the rest of the quota is reserved, but not after a 403', async () => {
  const { polls, sent, startRead } = start();
  await startRead();
  polls.onNotices({ quota: null, reservedMs: 30_000, deprecation: null });
  await advance(10_000);
  expect(sent).toHaveLength(1);
  polls.onError(new UpstreamForbidden());
  polls.schedule();
  await advance(1);
  expect(sent).toHaveLength(2);
});
