import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { streamTypeOf } from '../../../src/features/live/stream.ts';
import {
  apiKey,
  codes,
  openGateway,
  postQuery,
  startGateway,
  type TestSettings,
} from '../../support/gateway.ts';
import { openLive } from '../../support/live.ts';
import { writeManifest } from '../../support/manifest.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';
import { bodyOf, openWire, send, wireOf } from '../../support/wire.ts';

const settings = { LIVE: 'on', LIVE_INTERVAL_S: '1' };
const live = 'subscription { live { site(id: "SITE-1") { city } } }';
const query = '{ site(id: "SITE-1") { city } }';
const seen = (city: unknown) => ({ data: { live: { site: { city } } } });
const multipart = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json';
const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };

interface State {
  city: string;
  status: number;
  headers: Record<string, string>;
  /** The event for which the responses wait. */
  hold: Promise<unknown>;
}

/** A gateway with live queries in front of a REST API that the test changes. */
async function start(env: TestSettings = {}) {
  const state: State = { city: 'Bend', status: 200, headers: {}, hold: Promise.resolve() };
  const upstream = await startUpstream(async (req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    const { hold } = state;
    await hold;
    sendJson(res, { ...bareSite(id), city: state.city }, state.status, state.headers);
  });
  const gateway = await startGateway(upstream.url, { ...settings, ...env });
  return { state, upstream, gateway };
}

/** Lets time pass for the timers of the gateway in this process, and for nothing else. */
function fakeIntervals() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

it.each([
  [
    'text/event-stream',
    'text/event-stream; charset=utf-8',
    [
      ':',
      'event: next\ndata: {"data":{"live":{"site":{"city":"Bend"}}}}',
      ':{"ageSeconds":0,"intervals":0}',
    ].join('\n\n'),
    'event: complete\ndata:\n\n',
  ],
  [
    multipart,
    'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
    [
      '\r\n--graphql\r\ncontent-type: application/json\r\n',
      '{"payload":{"data":{"live":{"site":{"city":"Bend"}}}}}',
      '--graphql\r\ncontent-type: application/json\r\nlive-age: {"ageSeconds":0,"intervals":0}\r\n',
      '{}',
      '--graphql',
    ].join('\r\n'),
    '--graphql--\r\n',
  ],
])('writes a stream of %s: an event, a heartbeat, the end', async (accept, type, text, end) => {
  fakeIntervals();
  const { state, gateway } = await start();
  const wire = await openWire(gateway.origin);
  const body = bodyOf(live);
  const fields = { ...headers, accept, 'content-length': String(body.length) };
  wire.write(wireOf('POST /graphql', fields, body));
  await wire.read(/Bend/);
  vi.advanceTimersByTime(12_000);
  // Without the chunk sizes of HTTP/1.1, and as if the heartbeat came at once: a busy machine delays it.
  const unchunked = (all: string) =>
    all
      .slice(all.indexOf('\r\n\r\n') + 4)
      .replace(/("ageSeconds"|"intervals"):\d+/g, '$1:0')
      .replace(/[\da-f]+\r\n(.*?)\r\n(?=[\da-f]+\r\n|$)/gs, '$1');
  await vi.waitFor(async () =>
    expect(unchunked(await wire.read(/Bend/))).toBe(accept === multipart ? text : `${text}\n\n`),
  );
  const head = await wire.read(/Bend/);
  expect(head).toContain(`content-type: ${type}\r\n`);
  expect(head).toContain('cache-control: no-store\r\n');
  expect(head).toContain('x-accel-buffering: no\r\n');
  state.status = 403;
  // The chunk of length 0, after the last event.
  const all = await wire.read(/FORBIDDEN.*\r\n0\r\n\r\n$/s);
  expect(unchunked(all)).toContain(end.trimEnd());
});

it.each([
  ['an Accept without a stream', { accept: 'application/json' }, 'POST'],
  ['multipart of another protocol', { accept: 'multipart/mixed, application/json' }, 'POST'],
  ['a GET', { accept: 'text/event-stream, application/json' }, 'GET'],
])('rejects %s with 406, before any REST call', async (_, fields, method) => {
  const { upstream, gateway } = await start();
  const path = `/graphql${method === 'GET' ? `?query=${encodeURIComponent(live)}` : ''}`;
  const body = method === 'GET' ? undefined : bodyOf(live);
  const response = await send(gateway.origin, { method, path, headers: { ...headers, ...fields }, body });
  expect(response.status).toBe(406);
  expect(JSON.parse(response.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  expect(upstream.paths()).toEqual([]);
});

it.each([
  [403, {}, 'FORBIDDEN'],
  [429, { 'retry-after': '7' }, 'RATE_LIMITED'],
])('rejects a stream like a query where every REST call gets %i', async (status, fields, code) => {
  const { state, gateway } = await start();
  Object.assign(state, { status, headers: fields });
  const stream = await openLive(gateway.url, live, { headers: { accept: multipart } });
  const response = await postQuery(gateway.url, query);
  expect([stream.status, response.status]).toEqual([status, status]);
  expect(codes(response)).toEqual([code]);
  expect(await stream.body()).toEqual({ errors: response.errors });
  if (status === 429) expect(Number(stream.headers.get('retry-after'))).toBeGreaterThan(0);
});

const rejected: [string, string | RegExp][] = [
  [
    'subscription { live(every: 0) { site(id: "SITE-1") { city } } }',
    '"every" must be from 1 to 3600 seconds.',
  ],
  ['subscription { live { health { reachable } } }', '"health" cannot be read by "live": send a query.'],
  ...['{ live @include(if: $yes) { __typename } }', '{ ... @skip(if: $yes) { live { __typename } } }'].map(
    (rest): [string, RegExp] => [`subscription ($yes: Boolean = true) ${rest}`, /^Argument "if" .* "\$yes"/],
  ),
  [
    'subscription { live { sites(ids: ["SITE-1"]) { city } } b: live { site(id: "SITE-2") { city } } }',
    /one top level field|only one/i,
  ],
  [
    `subscription { live { ${Array.from({ length: 51 }, (_, n) => `s${n}: site(id: "SITE-${n}") { id }`).join(' ')} } }`,
    /REST calls|root fields|too complex/,
  ],
  ['subscription { live { site(id: "SITE-1") { nothing } } }', /Cannot query field/],
];

it('rejects a live query that cannot be polled, before any REST call', async () => {
  const { upstream, gateway } = await start();
  for (const [text, message] of rejected) {
    const { data, errors } = await postQuery(gateway.url, text, { headers: { accept: multipart } });
    expect(data, text).toBeUndefined();
    expect(errors?.[0]?.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  }
  expect(upstream.paths()).toEqual([]);
});

it('rejects variables that are nested too deeply to be compared', async () => {
  const { gateway } = await start({ FEDERATION: 'on' });
  const query = `subscription ($all: [_Any!]!, $none: Boolean = true) {
    live { __typename _entities(representations: $all) @skip(if: $none) { __typename } }
  }`;
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const body = bodyOf(query, { variables: { all: ['deep'] } }).replace('"deep"', deep);
  const response = await send(gateway.origin, { headers: { ...headers, accept: multipart }, body });
  expect(response.status).toBe(400);
  expect(response.body).toContain('"code":"BAD_USER_INPUT"');
});

it('takes aliases, fragments and variables like a query, and leaves out @defer', async () => {
  const { upstream, gateway } = await start();
  const text = `subscription S($id: ID!, $with: Boolean!) { now: live(every: 60) { ...F } }
    fragment F on Query { a: site(id: $id) { city ... @defer { zip } name: id @include(if: $with) } }`;
  const stream = await openLive(gateway.url, text, { variables: { id: 'SITE-9', with: true } });
  expect(await stream.received(1)).toEqual([
    { data: { now: { a: { city: 'Bend', zip: null, name: 'SITE-9' } } } },
  ]);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-9']);
});

it('has no subscription unless LIVE is on', async () => {
  const { gateway } = await start({ LIVE: 'off' });
  const { status, errors } = await postQuery(gateway.url, live);
  expect(status).toBe(200);
  expect(errors?.[0]?.message).toMatch(/^There is no subscription here/);
  const { data } = await postQuery(gateway.url, '{ __schema { subscriptionType { name } } }');
  expect(data).toEqual({ __schema: { subscriptionType: null } });
});

it('opens streams for trusted documents alone, where only they are executed', async () => {
  const { path } = await writeManifest({ city: live });
  const env = { TRUSTED_DOCUMENTS: path, TRUSTED_DOCUMENTS_ONLY: 'on' };
  const { upstream, gateway } = await start(env);
  const rejected = await openLive(gateway.url, live);
  expect(rejected.status).toBe(400);
  expect(upstream.paths()).toEqual([]);
  const stream = await openLive(gateway.url, { documentId: 'city' });
  expect(await stream.received(1)).toEqual([seen('Bend')]);
});

it('rejects a stream over the limit with 503, and counts no idle stream as an operation', async () => {
  const { gateway } = await start({ LIVE_MAX_STREAMS: '1', MAX_CONCURRENT_OPERATIONS: '1' });
  const stream = await openLive(gateway.url, live);
  await stream.received(1);
  expect((await postQuery(gateway.url, query)).data).toEqual({ site: { city: 'Bend' } });
  // It accepts its stream alone.
  const headers = { accept: 'multipart/mixed;subscriptionSpec=1.0' };
  const rejected = await openLive(gateway.url, live, { headers });
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await rejected.body()).toMatchObject({ errors: [{ extensions: { code: 'OVERLOADED' } }] });
  stream.close();
  await gateway.logged('operation', 3);
  const next = await openLive(gateway.url, live);
  expect(await next.received(1)).toEqual([seen('Bend')]);
});

it('3: polls past the cache, and fills it', async () => {
  const { state, upstream, gateway } = await start({ CACHE_TTL_MS: '60000' });
  const stream = await openLive(gateway.url, live);
  await stream.received(1);
  state.city = 'Salem';
  expect(await stream.received(2)).toEqual([seen('Bend'), seen('Salem')]);
  const before = upstream.requests.length;
  expect((await postQuery(gateway.url, query)).data).toEqual({ site: { city: 'Salem' } });
  expect(upstream.requests.length - before).toBeLessThanOrEqual(1);
});

/** A stream that is not read until `readUntil`, which returns the letters that the events repeat. */
async function openSlow(origin: string) {
  const fields = { ...headers, accept: 'text/event-stream' };
  const req = request(`${origin}/graphql`, { method: 'POST', headers: fields, agent: false });
  req.end(bodyOf(live));
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  onTestFinished(() => void req.destroy());
  return {
    async readUntil(letter: string): Promise<string[]> {
      const letters = new Set<string>();
      for await (const chunk of res.setEncoding('latin1') as AsyncIterable<string>) {
        for (const [, found = ''] of chunk.matchAll(/(\w)\1{99}/g)) letters.add(found);
        if (letters.has(letter)) break;
      }
      return [...letters];
    },
  };
}

/** More than the buffers of a connection hold. */
const size = 12_000_000;

it('12: keeps the newest event alone for a client that does not read', async () => {
  const { state, gateway } = await start({ requestTimeoutMs: 100_000 });
  state.city = 'a'.repeat(size);
  const reader = await openSlow(gateway.origin);
  for (const [n, letter] of ['b', 'c'].entries()) {
    state.city = letter.repeat(size);
    const timeout = 60_000;
    await expect.poll(() => gateway.gauge('portico_live_events_total'), { timeout }).toBe(n + 2);
  }
  expect(await reader.readUntil('c')).toEqual(['a', 'c']);
});

it('12: disconnects a client that reads nothing', async () => {
  const { state, gateway } = await start({ requestTimeoutMs: 500 });
  state.city = 'a'.repeat(size);
  await openSlow(gateway.origin);
  // The line comes when the connection is gone.
  const [line] = await gateway.logged('operation');
  expect(line).toMatchObject({ stream: true, status: 200 });
});

it('13: a drain cuts the streams off without an end, and lets none begin', async () => {
  const { upstream } = await start();
  const gateway = await openGateway(upstream.url, settings);
  const body = bodyOf(live);
  const fields = { ...headers, accept: multipart, 'content-length': String(body.length) };
  const late = await openWire(gateway.origin);
  const stream = await openLive(gateway.url, live);
  await stream.received(1);
  const drained = gateway.drain(10_000);
  expect(await stream.ended).toBe('cut');
  expect(stream.events).toEqual([seen('Bend')]);
  late.write(wireOf('POST /graphql', fields, body));
  expect(await late.closed).toMatch(
    /^HTTP\/1.1 503 .*\r\nretry-after: 1\r\n.*"The gateway is shutting down\./s,
  );
  expect(await drained).toBe(0);
});

it('logs a stream when it ends, and counts what live queries do', async () => {
  const { state, gateway } = await start();
  const { gauge } = gateway;
  const stream = await openLive(gateway.url, live);
  await stream.received(1);
  state.city = 'Salem';
  await stream.received(2);
  expect(gauge('portico_live_streams')).toBe(1);
  expect(gauge('portico_live_groups')).toBe(1);
  expect(gauge('portico_live_polls')).toBe(1);
  expect(gauge('portico_live_events_total')).toBe(2);
  expect(gauge('portico_live_poll_requests_total')).toBeGreaterThanOrEqual(2);
  stream.close();
  const [line] = await gateway.logged('operation');
  expect(line).toMatchObject({ stream: true, outcome: 'ok', status: 200 });
  expect(gauge('portico_live_streams')).toBe(0);
});

it.each([
  ['application/json, Text/Event-Stream;q=0.5', 'text/event-stream'],
  ['multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json', 'multipart/mixed'],
  ['multipart/mixed; subscriptionSpec="1.0"', 'multipart/mixed'],
  ['multipart/mixed;subscriptionSpec=2.0', undefined],
  ['multipart/mixed;deferSpec=20220824, application/json', undefined],
  ['multipart/mixed', undefined],
  ['*/*', undefined],
  [undefined, undefined],
])('reads the type of a stream in Accept: %s', (accept, type) => {
  expect(streamTypeOf(accept)).toBe(type);
});
