import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from 'undici';
import { respond } from '../calls/dashboards.ts';
import { portico } from '../contenders/portico.ts';
import { siteIdOf } from '../fixtures/ownership.ts';
import { createClosedLoop } from '../load/closed-loop.ts';
import { percentile, runOpenLoop } from '../load/open-loop.ts';
import { type LoadRequest, postOperation, type Traffic } from '../load/send.ts';
import { openStream } from '../load/streams.ts';
import { inProject } from '../paths.ts';
import { freePort } from '../processes/ports.ts';
import { scratchFolder } from '../processes/scratch.ts';
import { type Server, startProcess, startServer } from '../processes/server.ts';
import { cpuBetween } from '../processes/usage.ts';

const GATEWAYS = 8;
const KEYS = 6;
const STREAMS_PER_KEY = 16;
const INTERVAL_S = 5;
const QUERIES_PER_SECOND_AND_KEY = 10;
const UPSTREAM_MS = 200;
const CONNECTIONS = 32;
const TURN_SECONDS = 0.5;
const query = 'query ($id: ID!) { site(id: $id) { id address1 city clients { id name } } }';
const live = `subscription ($id: ID!) { live(every: ${INTERVAL_S}) { site(id: $id) { id city } } }`;

/** How HAProxy chooses a gateway: as shipped, or for comparison. */
const balances = {
  'by key, as shipped': (config: string) => config,
  'by key, with a factor of 150': (config: string) => config,
  'round robin': (config: string) => replaced(config, 'balance hdr(x-api-key)', 'balance roundrobin'),
} as const;
type Balance = keyof typeof balances;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const upstream = await startSlowUpstream();
const counts = await countCalls();
const throughput = await compareThroughput();
upstream.close();

const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, ${cpus().length} cores, Node ${process.version}`);
console.log(`${GATEWAYS} gateways, ${KEYS} keys, REST calls of ${UPSTREAM_MS} ms:`);
console.table(counts);
console.log('Two gateways behind HAProxy on two cores, to one without:');
console.table(throughput);

/** Polls for each key and interval, and REST calls for each query, by balance. */
async function countCalls(): Promise<object[]> {
  const rows: object[] = [];
  for (const balance of Object.keys(balances) as Balance[]) {
    const gateways = await startGateways(GATEWAYS);
    const haproxy = await startHaproxy(gateways, balance);
    const streams = await openStreams(haproxy.url);
    const intervals = values.quick ? 2 : 6;
    let before = upstream.calls();
    await delay(intervals * INTERVAL_S * 1000);
    const polls = (upstream.calls() - before) / KEYS / intervals;
    for (const stream of streams) stream.destroy();
    // The gateways notice it by their second heartbeat, and poll until then.
    await whenQuiet();
    before = upstream.calls();
    const queries = await sendQueries(haproxy.url);
    rows.push({
      balance,
      'polls a key and interval': polls.toFixed(2),
      'REST calls a query': ((upstream.calls() - before) / queries).toFixed(2),
    });
    await Promise.all([haproxy, ...gateways].map((server) => server.stop()));
  }
  return rows;
}

/** An open loop, all queries of a key for the same site; resolves with their number. */
async function sendQueries(url: string): Promise<number> {
  let sent = 0;
  const traffic: Traffic<LoadRequest> = {
    next() {
      sent += 1;
      return postOperation(keyOf(sent), { query, variables: { id: siteIdOf(1) } });
    },
    onResponse: (_, { status, body }) => check(status, body),
  };
  const perSecond = QUERIES_PER_SECOND_AND_KEY * KEYS;
  const arrivals = { random: Math.random };
  await runOpenLoop(url, { perSecond, leadSeconds: 0, seconds: values.quick ? 5 : 20, arrivals }, traffic);
  return sent;
}

/**
 * A closed loop in turns, to one gateway, and to two behind HAProxy. The load generator and the REST API share the cores
 * with them, so that the throughput is that of all together; the CPU time of a query is that of gateways and HAProxy.
 */
async function compareThroughput(): Promise<object[]> {
  const [one, ...two] = await startGateways(3);
  if (!one) throw new Error('no gateway was started');
  const haproxy = await startHaproxy(two, 'by key, as shipped');
  for (const server of [one, haproxy, ...two]) server.pin(false);
  const setups = {
    one: { servers: [one], url: one.url },
    two: { servers: [...two, haproxy], url: haproxy.url },
  };
  const loops = { one: createLoop(setups.one.url), two: createLoop(setups.two.url) };
  for (const loop of Object.values(loops)) await loop.run({ seconds: 5 });
  const ratios: number[] = [];
  const costs = { one: [] as number[], two: [] as number[], haproxy: [] as number[] };
  for (let cycle = 0; cycle < (values.quick ? 20 : 60); cycle += 1) {
    const rate = { one: 0, two: 0 };
    for (const name of cycle % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)) {
      const { servers } = setups[name];
      const before = servers.map((server) => server.usage());
      const { requests, seconds } = await loops[name].run({ seconds: TURN_SECONDS });
      const used = servers.map((server, n) => usedSince(before[n], server) / requests);
      rate[name] = requests / seconds;
      costs[name].push(used.reduce((sum, cost) => sum + cost));
      if (name === 'two') costs.haproxy.push(used.at(-1) ?? Number.NaN);
    }
    ratios.push(rate.two / rate.one);
  }
  for (const loop of Object.values(loops)) await loop.close();
  await Promise.all([one, haproxy, ...two].map((server) => server.stop()));
  const capacity = costs.one.map((cost, n) => (2 * cost) / (costs.two[n] ?? Number.NaN));
  return [
    { ratio: 'queries a second, all on these cores', ...spread(ratios) },
    { ratio: 'queries that two cores can serve, by CPU time', ...spread(capacity) },
    {
      ratio: "HAProxy's share of that CPU time",
      ...spread(costs.haproxy.map((cost, n) => cost / (costs.two[n] ?? Number.NaN))),
    },
  ];
}

function usedSince(before: ReturnType<Server['usage']> | undefined, server: Server): number {
  return before ? (cpuBetween(before, server.usage()) ?? Number.NaN) : Number.NaN;
}

/** Queries of 100 keys, each for another site. */
function createLoop(url: string) {
  let sent = 0;
  return createClosedLoop<LoadRequest>(url, CONNECTIONS, {
    next() {
      sent += 1;
      return postOperation(`key-${sent % 100}`, { query, variables: { id: siteIdOf(sent) } });
    },
    onResponse: (_, { status, body }) => check(status, body),
  });
}

function check(status: number, body: Buffer): void {
  const text = body.toString();
  if (status !== 200 || !text.startsWith('{"data":{"site":{"id":')) throw new Error(text.slice(0, 500));
}

function keyOf(n: number): string {
  return `scale-key-0123456789-${n % KEYS}`;
}

function startGateways(count: number): Promise<Server[]> {
  const env = { LIVE: 'on', LIVE_INTERVAL_S: String(INTERVAL_S) };
  return Promise.all(Array.from({ length: count }, () => startServer(portico, upstream, env)));
}

/** HAProxy with the shipped file, in which the lines of its gateways are replaced. */
async function startHaproxy(gateways: readonly Server[], balance: Balance): Promise<Server> {
  const port = await freePort();
  const shipped = readFileSync(inProject('deploy/haproxy/haproxy.cfg'), 'utf8');
  const lines = gateways.map(({ url }, n) => `  server gateway-${n + 1} ${new URL(url).host}\n`);
  const file = join(scratchFolder(), 'haproxy.cfg');
  writeFileSync(file, balances[balance](shipped.replace(/^ +server .*\n/gm, '')) + lines.join(''));
  const env = balance.endsWith('150') ? { HASH_BALANCE_FACTOR: '150' } : {};
  return startProcess(['haproxy', '-db', '-f', file], port, { BIND: `127.0.0.1:${port}`, ...env });
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`deploy/haproxy/haproxy.cfg has no line ${from}`);
  return text.replace(from, to);
}

/** Opens the streams, and resolves when each has its first event. */
async function openStreams(url: string): Promise<Client[]> {
  const clients: Client[] = [];
  const operation = { query: live, variables: { id: siteIdOf(1) } };
  for (let n = 0; n < KEYS * STREAMS_PER_KEY; n += 1) {
    // Key after key, so that round robin gives each key all gateways.
    const key = keyOf(Math.floor(n / STREAMS_PER_KEY));
    clients.push(await openStream(url, postOperation(key, operation)));
  }
  return clients;
}

/** Waits until the REST API has had no call for two intervals. */
async function whenQuiet(): Promise<void> {
  for (let before = -1; before !== upstream.calls(); ) {
    before = upstream.calls();
    await delay(2 * INTERVAL_S * 1000);
  }
}

/** A REST API that takes `UPSTREAM_MS` for a poll or a query of one of the keys, and nothing for other keys. */
async function startSlowUpstream() {
  let calls = 0;
  const server = createServer({ keepAliveTimeout: 600_000 }, (req, res) => {
    calls += 1;
    const key = String(req.headers['x-api-key']);
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://127.0.0.1');
    const json = respond(key, pathname, searchParams.get('include') ?? '');
    const send = () => res.writeHead(200, { 'content-type': 'application/json' }).end(json);
    if (key.startsWith('scale-')) setTimeout(send, UPSTREAM_MS);
    else send();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The median, and the quartiles. */
function spread(numbers: readonly number[]) {
  const at = (share: number) => percentile(numbers, share).toFixed(2);
  return { median: at(0.5), quartiles: `${at(0.25)}–${at(0.75)}` };
}
