import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { type LoadedStream, loadStreams } from '../support/live-load.ts';
import { scale } from '../support/scale.ts';
import { measureSlowness } from '../support/slowness.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { stampFrom, textOf } from '../support/upstreams/stamping.ts';
import { memoryOptions, untilIdle } from './idle.ts';
import { keys } from './tenants/population.ts';

const STREAMS = 1000;
const SITES = 5;
const MAX_BYTES_PER_STREAM = 40_000;
const query = 'subscription ($id: ID!) { live { site(id: $id) { id city clients { name } } } }';
const settings = {
  LIVE: 'on',
  LIVE_INTERVAL_S: '1',
  LIVE_CALLS_PER_MINUTE: '100000',
  // One key may have as many as it leaves to others.
  LIVE_MAX_STREAMS: '1100',
  LOG_LEVEL: 'error',
};

/** A REST API that stamps its responses with the key of the request; they differ as often as `turn` does. */
async function startStamping() {
  const state = { turn: 0 };
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    const text = textOf({ nonce: state.turn, key: String(req.headers['x-api-key']), id });
    sendJson(res, { ...bareSite(id), city: text, clients: [{ id: text, name: text }] });
  });
  return { ...upstream, state };
}

/** The text of an event that belongs to another key or site than the stream. */
function foreignIn({ key, id }: LoadedStream, text: string): string | undefined {
  const { data } = JSON.parse(text) as {
    data: { live: { site: { city: string; clients: { name: string }[] } } };
  };
  const { city, clients } = data.live.site;
  return [city, ...clients.map(({ name }) => name)].find((value) => {
    const stamp = stampFrom(value);
    return stamp?.key !== key || stamp.id !== id;
  });
}

const loadOf = (n: number, foreign: string[]) => ({
  key: keys[n % keys.length] ?? '',
  id: `SITE-${Math.floor(n / keys.length) % SITES}`,
  query,
  onEvent(stream: LoadedStream, text: string) {
    const found = foreignIn(stream, text);
    if (found !== undefined) foreign.push(found);
  },
});

it('serves a thousand streams of twenty keys: each its own data, in little memory and time', async () => {
  const upstream = await startStamping();
  const { options, warnings } = memoryOptions(settings);
  const gateway = await startGatewayProcess(upstream.url, options);
  const foreign: string[] = [];
  const loads = Array.from({ length: STREAMS }, (_, n) => loadOf(n, foreign));
  // Compiles the operation, and loads what is loaded on first use.
  for (const stream of await loadStreams(gateway.url, loads.slice(0, 100))) stream.close();
  const before = await untilIdle(gateway, ({ sockets }) => sockets < 50);

  const streams = await loadStreams(gateway.url, loads);
  onTestFinished(() => {
    for (const stream of streams) stream.close();
  });
  await pause(2_000);
  const idle = await gateway.read('memory');
  const perStream = (idle.heapBytes - before.heapBytes) / STREAMS;

  const requestsBefore = upstream.requests.length;
  const cpuBefore = await gateway.read('usage');
  await pause(3_000);
  const polls = upstream.requests.length - requestsBefore;
  const idleCpuMs = (await gateway.read('usage')).cpuMs - cpuBefore.cpuMs;
  // One for each key and site in a second, whatever the number of streams.
  expect(polls).toBeGreaterThan(keys.length * SITES * 2);
  expect(polls).toBeLessThan(keys.length * SITES * 4);

  const changesBefore = streams.reduce((sum, { events }) => sum + events, 0);
  const changeCpu = await gateway.read('usage');
  upstream.state.turn += 1;
  await expect.poll(() => streams.every(({ latest }) => latest.includes('"1 '))).toBe(true);
  const changeCpuMs = (await gateway.read('usage')).cpuMs - changeCpu.cpuMs;
  expect(streams.reduce((sum, { events }) => sum + events, 0) - changesBefore).toBe(STREAMS);
  if (scale > 1) console.log({ perStream, polls, idleCpuMs, changeCpuMs });

  expect(foreign).toEqual([]);
  expect(perStream).toBeLessThan(MAX_BYTES_PER_STREAM);
  // Calls cost, streams do not: a call takes a millisecond or two of CPU time, a write a fraction of one.
  const slowness = measureSlowness();
  expect(idleCpuMs).toBeLessThan(polls * 3 * slowness);
  expect(changeCpuMs).toBeLessThan((STREAMS * 0.5 + keys.length * SITES * 2 * 4) * slowness);
  for (const stream of streams) stream.close();
  const after = await untilIdle(gateway, ({ sockets }) => sockets < 50);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(6_000_000);
  const calls = upstream.requests.length;
  await pause(1_500);
  expect(upstream.requests.length).toBe(calls);
  expect(warnings).toEqual([]);
});
