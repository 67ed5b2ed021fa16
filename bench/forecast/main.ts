import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, Pool, request } from 'undici';
import { portico } from '../contenders/portico.ts';
import { siteIdOf } from '../fixtures/ownership.ts';
import { type LoadRequest, postOperation, send } from '../load/send.ts';
import { openStream } from '../load/streams.ts';
import { leaveFirstCore } from '../processes/cores.ts';
import { freePort } from '../processes/ports.ts';
import { startServer } from '../processes/server.ts';
import { type Mix, readMixes, writeMeasured } from './table.ts';
import { startRecordingUpstream } from './upstream.ts';

/**
 * Shorter intervals of queries are stretched to this one, and the latency by the same factor: what the machine adds to
 * a latency of 50 ms would change how many viewers join a call.
 */
const SHORTEST_INTERVAL_S = 30;
/** The time of live queries runs so much faster, with their latency and the limit of their polls. */
const LIVE_SPEED = 2.5;
const LIVE_CALLS_PER_MINUTE = 60;

const FROM_MS = 8_000;
const TO_MS = 113_000;
/** By then, limited polls have used up most of the calls that the limit leaves for bursts. */
const LIMITED_FROM_MS = 85_000;

/** The phases of so many viewers are drawn for each mix, if that takes at most so many keys. */
const DRAWN_VIEWERS = 300;
const MAX_KEYS = 24;
/** After so many intervals a viewer opens the page again, at another time. */
const INTERVALS_PER_PHASE = 2;

const fields = 'id address1 city';
const query = `query ($ids: [ID!]!) { sites(ids: $ids) { ${fields} } }`;
const live = `subscription ($ids: [ID!]!, $every: Int!) { live(every: $every) { sites(ids: $ids) { ${fields} } } }`;

/** A mix with its keys: several for queries, because each is one draw of the phases. */
interface Run {
  mix: Mix;
  /** How much longer the times of its queries are. */
  stretch: number;
  ids: string[];
  queryKeys: string[];
  liveKey: string;
}

leaveFirstCore();
const latenciesMs = new Map<string, number>();
const runs = readMixes().map(planRun);
const upstream = await startRecordingUpstream(latenciesMs);
const metricsPort = await freePort();
const gateway = await startServer(portico, upstream, {
  LIVE: 'on',
  LIVE_INTERVAL_S: '1',
  LIVE_CALLS_PER_MINUTE: String(LIVE_CALLS_PER_MINUTE * LIVE_SPEED),
  // One key may have as many streams as it leaves to others.
  LIVE_MAX_STREAMS: '10000',
  // No call waits for a connection: that would add to its latency.
  UPSTREAM_CONNECTIONS: '5000',
  ADMIN_PORT: String(metricsPort),
});
const pool = new Pool(gateway.url);

const streams = (await Promise.all(runs.map(openStreams))).flat();
const startMs = performance.now();
const timers = new Set<NodeJS.Timeout>();
for (const run of runs)
  for (const key of run.queryKeys)
    for (let viewer = 0; viewer < run.mix.viewers; viewer += 1) startViewer(run, key);
await delay(FROM_MS);
const before = await readDurations();
await delay(startMs + TO_MS - performance.now());
const after = await readDurations();
const measured = runs.map(measure);

for (const timer of timers) clearTimeout(timer);
for (const stream of streams) stream.destroy();
await pool.destroy();
await gateway.stop();
upstream.close();

writeMeasured(measured.map(({ queries, polls }) => ({ gateway: queries, live: polls })));
const meanMs = ((after.seconds - before.seconds) * 1000) / (after.calls - before.calls);
const upstreamMs = meanLatencyMs();
console.log(`${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`);
console.log(
  `A REST call took ${meanMs.toFixed(1)} ms, of which ${upstreamMs.toFixed(1)} ms are the REST API's`,
);
console.table(
  runs.map(({ mix, stretch }, index) => {
    const { viewers, everySeconds, latencyMs, sites, gateway, live } = mix;
    const { queries = Number.NaN, polls = Number.NaN } = measured[index] ?? {};
    return {
      mix: `${viewers}, ${everySeconds} s, ${latencyMs} ms, ${sites} sites`,
      ...{ gateway, measured: Math.round(queries), ratio: (gateway / queries).toFixed(2) },
      'at its latency': (forecastAt(mix, latencyMs + (meanMs - upstreamMs) / stretch) / queries).toFixed(2),
      ...{ live, 'measured live': Math.round(polls), 'ratio live': (live / polls).toFixed(2) },
    };
  }),
);

function planRun(mix: Mix, index: number): Run {
  const { viewers, everySeconds, latencyMs, sites } = mix;
  const stretch = Math.max(SHORTEST_INTERVAL_S / everySeconds, 1);
  const draws = Math.min(Math.ceil(DRAWN_VIEWERS / viewers), MAX_KEYS);
  const queryKeys = Array.from({ length: draws }, (_, nth) => `query-mix-${index}-key-${nth}`);
  const liveKey = `live-mix-${index}`;
  for (const key of queryKeys) latenciesMs.set(key, latencyMs * stretch);
  latenciesMs.set(liveKey, latencyMs / LIVE_SPEED);
  const ids = Array.from({ length: sites }, (_, site) => siteIdOf(site));
  return { mix, stretch, ids, queryKeys, liveKey };
}

/** Opens a stream for each viewer. */
async function openStreams({ mix, ids, liveKey }: Run): Promise<Client[]> {
  const variables = { ids, every: mix.everySeconds / LIVE_SPEED };
  const opened: Client[] = [];
  for (let viewer = 0; viewer < mix.viewers; viewer += 1)
    opened.push(await openStream(gateway.url, postOperation(liveKey, { query: live, variables })));
  return opened;
}

/** Sends the query in each interval at the viewer's phase, until the timers are cleared. */
function startViewer({ mix, stretch, ids }: Run, key: string): void {
  const operation = postOperation(key, { query, variables: { ids } });
  const everyMs = mix.everySeconds * stretch * 1000;
  let phaseMs = 0;
  const ask = (interval: number) => {
    if (interval % INTERVALS_PER_PHASE === 0) phaseMs = Math.random() * everyMs;
    const waitMs = startMs + interval * everyMs + phaseMs - performance.now();
    const timer = setTimeout(() => {
      timers.delete(timer);
      sendQuery(operation);
      ask(interval + 1);
    }, waitMs);
    timers.add(timer);
  };
  ask(0);
}

function sendQuery(operation: LoadRequest): void {
  send(pool, operation, (error, { status, body }) => {
    // The last queries end with the pool.
    if (pool.destroyed) return;
    const text = body.toString();
    if (error || status !== 200 || !text.startsWith('{"data":{"sites":[{"id":'))
      throw error ?? new Error(`${status} ${text.slice(0, 500)}`);
  });
}

/** The calls of a minute that a key makes for its viewers, in the time of the mix. */
function measure({ mix, stretch, queryKeys, liveKey }: Run) {
  const queries = queryKeys.flatMap((key) => callsOf(key, FROM_MS)).flat().length;
  const isLimited = mix.live === LIVE_CALLS_PER_MINUTE;
  const polls = callsOf(liveKey, isLimited ? LIMITED_FROM_MS : FROM_MS).map(ratePerMinute);
  return {
    queries: (queries / queryKeys.length) * stretch * (60_000 / (TO_MS - FROM_MS)),
    polls: polls.reduce((sum, rate) => sum + rate, 0) / LIVE_SPEED,
  };
}

function callsOf(key: string, fromMs: number): number[][] {
  return upstream.callsBetween(key, startMs + fromMs, startMs + TO_MS);
}

/** By the first and the last call, because a time may begin and end anywhere between two calls. */
function ratePerMinute(timesMs: readonly number[]): number {
  const [firstMs = Number.NaN, lastMs = Number.NaN] = [timesMs[0], timesMs.at(-1)];
  return ((timesMs.length - 1) * 60_000) / (lastMs - firstMs);
}

/** The forecast of the queries of a mix for another latency, by the formula of docs/explain.md. */
function forecastAt({ viewers, everySeconds, sites }: Mix, latencyMs: number): number {
  return (sites * viewers * 60) / (everySeconds + (viewers - 1) * (latencyMs / 1000));
}

/** The durations of all REST calls until now, as the gateway measures them. */
async function readDurations(): Promise<{ seconds: number; calls: number }> {
  const { body } = await request(`http://127.0.0.1:${metricsPort}/metrics`);
  const text = await body.text();
  const sumOf = (suffix: string) =>
    [
      ...text.matchAll(
        new RegExp(`^portico_upstream_call_duration_seconds_${suffix}(?:\\{.*\\})? (\\S+)`, 'gm'),
      ),
    ]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0);
  return { seconds: sumOf('sum'), calls: sumOf('count') };
}

/** The mean of the latencies with which the REST API responded. */
function meanLatencyMs(): number {
  let [sumMs, calls] = [0, 0];
  for (const [key, latencyMs] of latenciesMs) {
    const { length } = callsOf(key, FROM_MS).flat();
    sumMs += latencyMs * length;
    calls += length;
  }
  return sumMs / calls;
}
