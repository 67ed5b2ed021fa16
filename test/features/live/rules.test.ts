import { expect, it } from 'vitest';
import type { TestSettings } from '../../support/gateway.ts';
import { bareSite, siteFromPath } from '../../support/upstream.ts';
import { advance, createEngine, type ScriptedResponse, settle, useFakeTime } from './engine.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const contextPath = `/v1/conversation/${conversation}/context`;
const city = (id = 'SITE-1', every = '') => `subscription { live${every} { site(id: "${id}") { city } } }`;
const seen = (value: unknown) => ({ data: { live: { site: { city: value } } } });

/** A REST API with one city for all sites; `responses`, by path, take precedence. */
function start(env: TestSettings = {}) {
  useFakeTime();
  const upstream = { city: 'Bend', responses: new Map<string, ScriptedResponse>() };
  const engine = createEngine((path) => {
    const fixed = upstream.responses.get(path) ?? upstream.responses.get('*');
    if (fixed) return fixed;
    if (path === contextPath) return { json: { subject: upstream.city } };
    const { id, include } = siteFromPath(path);
    const json = { ...bareSite(id), city: upstream.city };
    const relations = Object.fromEntries(include.map((name) => [name, [{ id: 'C-1', name: upstream.city }]]));
    return { json: { ...json, ...relations } };
  }, env);
  return { ...engine, upstream, paths: () => engine.calls.map(({ path }) => path) };
}

it('2: streams of one key with the same operation and variables are one group', async () => {
  const { open, stats } = start();
  const text =
    'subscription ($id: ID!, $x: Boolean = true) { live { site(id: $id) { city @include(if: $x) } } }';
  open(text, { id: 'SITE-1', x: true });
  open(text, { x: true, id: 'SITE-1', unused: 1 });
  open(text, { id: 'SITE-1' });
  await settle();
  expect(stats()).toMatchObject({ streams: 3, groups: 1, polls: 1 });
  open(text, { id: 'SITE-1' }, 'key-2');
  open(text, { id: 'SITE-2' });
  await settle();
  expect(stats()).toMatchObject({ streams: 5, groups: 3, polls: 3 });
});

it('5: polls of one key stay within LIVE_CALLS_PER_MINUTE, whatever their number', async () => {
  const { open, calls } = start({ LIVE_CALLS_PER_MINUTE: '30' });
  for (let n = 0; n < 20; n += 1) open(city(`SITE-${n}`));
  await advance(60_000);
  const before = calls.length;
  await advance(120_000);
  expect(calls.length - before).toBeLessThanOrEqual(60);
  expect(calls.length - before).toBeGreaterThan(45);
  // Those that began together do not go on so.
  const polls = calls.slice(20).map(({ atMs }) => atMs);
  const inMinuteOf = (end: number) => polls.filter((atMs) => atMs > end - 60_000 && atMs <= end).length;
  expect(Math.max(...polls.map(inMinuteOf))).toBeLessThanOrEqual(30);
});

it('8: has a call made for a new group whose resource could not be loaded before', async () => {
  const { open, upstream, calls } = start();
  upstream.responses.set('*', { status: 500 });
  const first = open(city('SITE-1', '(every: 60)'));
  await settle();
  expect(calls).toHaveLength(1);
  expect(first.events).toMatchObject([{ data: { live: { site: null } } }]);
  upstream.responses.clear();
  const second = open(city('SITE-1', '(every: 30)'));
  await settle();
  expect(second.events).toEqual([seen('Bend')]);
  expect(first.events.at(-1)).toEqual(seen('Bend'));
});

it('8: begins equal streams with the data that is kept, one like the other, while calls get 429', async () => {
  const { open, upstream } = start();
  open('subscription { live { site(id: "SITE-1") { id city } } }');
  await settle();
  upstream.responses.set('*', { status: 429, retryAfter: 30 });
  await advance(1_500);
  for (let n = 0; n < 5; n += 1) {
    const stream = open(city());
    await settle();
    expect(stream).toMatchObject({ rejection: undefined, events: [seen('Bend')] });
    stream.leave();
  }
});

it.each([
  [{ status: 500 }, '/v1/site/SITE-2'],
  ['timeout', '/v1/site/SITE-2'],
  [{ status: 429, retryAfter: 9 }, '*'],
  [{ status: 500 }, '/v1/site/SITE-2?include=clients'],
] as [ScriptedResponse, string][])(
  '9: knows how old its oldest data is while polls are missed: %j for %s',
  async (response, path) => {
    const { open, upstream } = start();
    const text = 'site(id: "SITE-1") { city } b: site(id: "SITE-2") { city clients { name } }';
    const stream = open(`subscription { live { ${text} } }`);
    await advance(19_000);
    expect(stream.heartbeat?.intervals).toBeLessThan(2);
    upstream.responses.set(path, response);
    const other = '/v1/site/SITE-2?include=clients';
    // Without its relations the site is loaded as before.
    if (path === '/v1/site/SITE-2') upstream.responses.set(other, response);
    await advance(5_100);
    expect(stream.events).toHaveLength(1);
    const { ageSeconds = 0, intervals = 0 } = stream.heartbeat ?? {};
    expect(intervals).toBeGreaterThanOrEqual(2);
    expect(ageSeconds).toBeGreaterThanOrEqual(5);
    expect(ageSeconds).toBeLessThanOrEqual(6);
    upstream.responses.clear();
    await advance(12_000);
    expect(stream.heartbeat?.intervals).toBeLessThan(2);
  },
);

it('11: a missing scope costs its fields alone, and a new stream tries again', async () => {
  const { open, upstream, calls } = start();
  const text = `subscription { live { conversationContext(id: "${conversation}") { subject } site(id: "SITE-1") { city } } }`;
  const stream = open(text);
  await settle();
  upstream.responses.set(contextPath, { status: 403 });
  await advance(1_250);
  expect(stream.isComplete).toBe(false);
  expect(stream.events.at(-1)).toMatchObject({
    data: { live: { conversationContext: null, site: { city: 'Bend' } } },
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
  const asked = () => calls.filter(({ path }) => path === contextPath).length;
  const before = asked();
  await advance(5_000);
  expect(asked()).toBe(before);
  upstream.responses.clear();
  const later = open(`subscription { live { conversationContext(id: "${conversation}") { subject } } }`);
  await settle();
  expect(asked()).toBe(before + 1);
  expect(later.events).toEqual([{ data: { live: { conversationContext: { subject: 'Bend' } } } }]);
  await advance(1_250);
  expect(stream.events.at(-1)).toEqual({
    data: { live: { conversationContext: { subject: 'Bend' }, site: { city: 'Bend' } } },
  });
});

it('14: gives a key at most half of the streams that the others leave', () => {
  const { open } = start({ LIVE_MAX_STREAMS: '8' });
  const admitted = (key: string) => open(city('SITE-1'), {}, key).rejection === undefined;
  const opened = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd', 'e'].map(admitted);
  expect(opened).toEqual([true, true, true, true, false, true, true, false, true, false, true, false]);
});

it('14: limits the operations and polls of a key, and the calls of an operation', async () => {
  const { open } = start({ live: { maxGroupsPerKey: 3, maxPollsPerKey: 3 }, MAX_UPSTREAM_CALLS: '2' });
  open(city('SITE-1'));
  const leaver = open(city('SITE-2'));
  open(city('SITE-3'));
  expect(open(city('SITE-4')).rejection).toBe('OVERLOADED');
  expect(open(city('SITE-1')).rejection).toBeUndefined();
  leaver.leave();
  await settle();
  const code = 'OPERATION_TOO_EXPENSIVE';
  const over = open('subscription { live { a: site(id: "SITE-7") { id } b: site(id: "SITE-8") { id } } }');
  await settle();
  expect(over.events).toMatchObject([
    { data: { live: { a: { id: 'SITE-7' }, b: null } }, errors: [{ extensions: { code, limit: 3 } }] },
  ]);
});

it.each([
  [{ status: 500 }, 6],
  ['timeout', 6],
  [{ status: 429, retryAfter: 400 }, 400],
] as [ScriptedResponse, number][])(
  '9: reports data as stale, once, a minute after it was to be refreshed, and its end: %j',
  async (response, atMostS) => {
    const { open, upstream } = start();
    const streams = [open(city()), open(city('SITE-2', '(every: 5)'))];
    await settle();
    upstream.responses.set('*', response);
    await advance(59_000);
    expect(streams.map(({ events }) => events.length)).toEqual([1, 1]);
    await advance(60_000);
    for (const [n, { events }] of streams.entries()) {
      const stale = [{ path: `/v1/site/SITE-${n + 1}`, ageSeconds: n === 0 ? 61 : expect.closeTo(65, 0) }];
      expect(events.slice(1)).toEqual([{ ...seen('Bend'), extensions: { stale } }]);
    }
    upstream.responses.clear();
    await advance(atMostS * 1000);
    for (const { events } of streams) expect(events.slice(2)).toEqual([seen('Bend')]);
  },
);

it('9: a site whose relations fail keeps its data for a minute; then it is as in a query', async () => {
  const { open, upstream, paths } = start();
  const stream = open('subscription { live { site(id: "SITE-1") { city clients { name } } } }');
  await settle();
  upstream.responses.set('/v1/site/SITE-1?include=clients', { status: 500 });
  upstream.city = 'Salem';
  await advance(30_000);
  expect(stream.events).toEqual([
    { data: { live: { site: { city: 'Bend', clients: [{ name: 'Bend' }] } } } },
  ]);
  await advance(40_000);
  expect(stream.events.at(-1)).toMatchObject({
    data: { live: { site: { city: 'Salem', clients: null } } },
    errors: [{ path: ['live', 'site', 'clients'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
  });
  expect(paths().slice(-2)).toEqual(['/v1/site/SITE-1?include=clients', '/v1/site/SITE-1']);
  const { length } = stream.events;
  await advance(100_000);
  expect(stream.events).toHaveLength(length);
  upstream.responses.clear();
  await advance(1_500);
  const site = { city: 'Salem', clients: [{ name: 'Salem' }] };
  expect(stream.events.slice(length)).toEqual([{ data: { live: { site } } }]);
});

it('14: keeps no more than half of the memory for one key, and serves the others', async () => {
  const { open, upstream, stats } = start({ live: { maxBytes: 131_072 } });
  upstream.city = 'x'.repeat(15_000);
  const served = async (id: string, key: string) => {
    const stream = open(city(id), {}, key);
    await settle();
    return stream.rejection ?? stream.events[0]?.errors?.[0]?.extensions?.code;
  };
  const code = 'OPERATION_TOO_EXPENSIVE';
  // A body takes 15 kB, its result 30, and the operation almost ten.
  expect(await served('SITE-1', 'key-1')).toBeUndefined();
  expect(await served('SITE-2', 'key-1')).toBe(code);
  expect(stats().kept_bytes).toBeLessThanOrEqual(65_536);
  expect(await served('SITE-1', 'key-2')).toBeUndefined();
  expect(await served('SITE-1', 'key-3')).toBe('OVERLOADED');
});

it('14: ends a stream whose result is too large, with the reason', async () => {
  const { open, upstream, stats } = start({ live: { maxBytes: 131_072 } });
  const stream = open(city());
  await settle();
  // The body has room, and the result beside it has not.
  upstream.city = 'x'.repeat(30_000);
  await advance(1_250);
  const extensions = { code: 'OPERATION_TOO_EXPENSIVE', limit: 65_536 };
  expect(stream.events.slice(1)).toMatchObject([{ errors: [{ extensions }] }]);
  expect(stream.isComplete).toBe(true);
  expect(stats()).toMatchObject({ groups: 0, polls: 0, kept_bytes: 0 });
});
