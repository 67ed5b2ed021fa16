import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Client } from 'undici';
import { respond } from '../calls/dashboards.ts';
import { portico } from '../contenders/portico.ts';
import { siteIdOf } from '../fixtures/ownership.ts';
import { createClosedLoop } from '../load/closed-loop.ts';
import { percentile } from '../load/open-loop.ts';
import { type LoadRequest, postOperation, type Traffic } from '../load/send.ts';
import { openStream } from '../load/streams.ts';
import { canPin, leaveFirstCore } from '../processes/cores.ts';
import { startServer } from '../processes/server.ts';
import { cpuBetween } from '../processes/usage.ts';
import { startNodeUpstream } from '../upstream/node.ts';

const STREAMS = 1000;
const KEYS = 20;
const CONNECTIONS = 16;
const query = 'query ($id: ID!) { site(id: $id) { id address1 city clients { id name } } }';
const live = `subscription ($id: ID!) { live(every: 10) { site(id: $id) { id address1 city } } }`;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const cycles = values.quick ? 10 : 60;
const TURN_SECONDS = 0.5;

leaveFirstCore();
const upstream = await startNodeUpstream(respond);
// One key may have as many streams as it leaves to others.
const env = { LIVE: 'on', LIVE_INTERVAL_S: '10', LIVE_MAX_STREAMS: '1100' };
const idle = await startServer(portico, upstream, env);
const busy = await startServer(portico, upstream, env);
const streams = await openStreams(busy.url);
const servers = { without: idle, with: busy };
const loops = { without: loopOf(idle.url), with: loopOf(busy.url) };
for (const { run } of Object.values(loops)) await run(2);
const memory = { without: idle.memory(), with: busy.memory() };
const ratios: number[] = [];
const cpuRatios: number[] = [];
const latencies = { without: [] as number[], with: [] as number[] };
for (let cycle = 0; cycle < cycles; cycle += 1) {
  const order = cycle % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
  const turn = { without: 0, with: 0 };
  const cpu = { without: 0, with: 0 };
  for (const name of order) {
    const before = servers[name].usage();
    turn[name] = await loops[name].run(TURN_SECONDS);
    cpu[name] = (cpuBetween(before, servers[name].usage()) ?? Number.NaN) / turn[name];
    latencies[name].push(...loops[name].taken());
  }
  ratios.push(turn.with / turn.without);
  cpuRatios.push(cpu.with / cpu.without);
}
for (const loop of Object.values(loops)) await loop.close();
for (const stream of streams) stream.destroy();
await Promise.all([idle.stop(), busy.stop()]);
upstream.close();

const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, Node ${process.version}, ${canPin ? 'one core each' : 'cores shared'}`);
console.log(
  `With ${STREAMS} idle streams, to none: queries ${spread(ratios)}, CPU of a query ${spread(cpuRatios)}`,
);
console.table(
  (['without', 'with'] as const).map((name) => ({
    streams: name === 'with' ? STREAMS : 0,
    'p50 ms': percentile(latencies[name], 0.5).toFixed(2),
    'p99 ms': percentile(latencies[name], 0.99).toFixed(2),
    ...memory[name],
  })),
);

/** The median, and the quartiles. */
function spread(values: readonly number[]): string {
  const at = (share: number) => percentile(values, share).toFixed(2);
  return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`;
}

/** Opens the streams, and resolves when each has its first event. */
async function openStreams(url: string): Promise<Client[]> {
  const clients: Client[] = [];
  for (let n = 0; n < STREAMS; n += 1) {
    const operation = { query: live, variables: { id: siteIdOf(n % 10) } };
    clients.push(await openStream(url, postOperation(`live-key-${n % KEYS}`, operation)));
  }
  return clients;
}

/** Queries of other keys than those of the streams; each for another site. */
function loopOf(url: string) {
  let sent = 0;
  let latenciesMs: number[] = [];
  const traffic: Traffic<LoadRequest> = {
    next() {
      sent += 1;
      return postOperation(`key-${sent % 100}`, { query, variables: { id: siteIdOf(sent) } });
    },
    onResponse(_, { status, body }, latencyMs) {
      const text = body.toString();
      if (status !== 200 || !text.startsWith('{"data":{"site":{"id":')) throw new Error(text.slice(0, 500));
      latenciesMs.push(latencyMs);
    },
  };
  const loop = createClosedLoop(url, CONNECTIONS, traffic);
  return {
    /** How many requests were sent. */
    async run(seconds: number): Promise<number> {
      return (await loop.run({ seconds })).requests;
    },
    /** The latencies since the last time. */
    taken(): number[] {
      const taken = latenciesMs;
      latenciesMs = [];
      return taken;
    },
    close: () => loop.close(),
  };
}
