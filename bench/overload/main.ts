import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { respond } from '../calls/dashboards.ts';
import { portico } from '../contenders/portico.ts';
import { siteIdOf } from '../fixtures/ownership.ts';
import { createClosedLoop } from '../load/closed-loop.ts';
import { percentile, runOpenLoop } from '../load/open-loop.ts';
import { type LoadRequest, postOperation, type Traffic } from '../load/send.ts';
import { canPin, leaveFirstCore } from '../processes/cores.ts';
import { startServer } from '../processes/server.ts';
import { startNodeUpstream } from '../upstream/node.ts';

const UPSTREAM_DELAY_MS = 20;
const CONCURRENT_OPERATIONS = 64;
/** Before the measurement, while hundreds of connections open. */
const LEAD_SECONDS = 2;
const query = 'query ($id: ID!) { site(id: $id) { id address1 city clients { id name } } }';

/** The latencies of one load by outcome, in milliseconds. */
interface Outcome {
  servedMs: number[];
  rejectedMs: number[];
}

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 1 : 3;
const seconds = values.quick ? 2 : 8;
const warmUpSeconds = values.quick ? 1 : 3;

leaveFirstCore();
const upstream = await startNodeUpstream(respond);
upstream.setDelay(UPSTREAM_DELAY_MS);
const rows: object[] = [];
for (let round = 1; round <= rounds; round += 1) await measure(round);
upstream.close();
const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, Node ${process.version}, ${canPin ? 'one core each' : 'cores shared'}`);
console.table(rows);

async function measure(round: number): Promise<void> {
  const limited = { MAX_CONCURRENT_OPERATIONS: String(CONCURRENT_OPERATIONS) };
  const capacity = await withGateway(limited, async (url) => {
    const { servedMs } = await saturate(url, seconds);
    return servedMs.length / seconds;
  });
  for (const [share, env] of [
    [0.7, limited],
    [3, limited],
    [3, { MAX_CONCURRENT_OPERATIONS: '1000000' }],
  ] as const) {
    const outcome = await withGateway(env, (url) => sendAtRate(url, capacity * share));
    rows.push(rowOf(round, `${share} × ${Math.round(capacity)}/s`, env.MAX_CONCURRENT_OPERATIONS, outcome));
  }
}

async function withGateway<T>(env: Record<string, string>, run: (url: string) => Promise<T>): Promise<T> {
  const gateway = await startServer(portico, upstream, env);
  try {
    await saturate(gateway.url, warmUpSeconds);
    return await run(gateway.url);
  } finally {
    await gateway.stop();
  }
}

/** A closed loop with as many requests in flight as the gateway executes. */
async function saturate(url: string, time: number): Promise<Outcome> {
  const traffic = createTraffic();
  const loop = createClosedLoop(url, CONCURRENT_OPERATIONS, traffic);
  try {
    await loop.run({ seconds: time });
    return traffic.outcome;
  } finally {
    await loop.close();
  }
}

/** An open loop with Poisson arrivals. */
async function sendAtRate(url: string, perSecond: number): Promise<Outcome> {
  const traffic = createTraffic();
  const arrivals = { random: Math.random };
  await runOpenLoop(url, { perSecond, leadSeconds: LEAD_SECONDS, seconds, arrivals }, traffic);
  return traffic.outcome;
}

/** Each request is for another site. A response is either complete, or a rejection with `Retry-After`. */
function createTraffic(): Traffic<LoadRequest> & { outcome: Outcome } {
  const outcome: Outcome = { servedMs: [], rejectedMs: [] };
  let sent = 0;
  return {
    outcome,
    next() {
      sent += 1;
      return postOperation(`key-${sent % 100}`, { query, variables: { id: siteIdOf(sent) } });
    },
    onResponse(_, { status, headers, body }, latencyMs, isMeasured) {
      const text = body.toString();
      const isServed = status === 200 && text.startsWith('{"data":{"site":{"id":');
      if (!isServed && !(status === 503 && headers['retry-after'])) throw new Error(text.slice(0, 500));
      if (isMeasured) (isServed ? outcome.servedMs : outcome.rejectedMs).push(latencyMs);
    },
  };
}

function rowOf(round: number, offered: string, limit: string, { servedMs, rejectedMs }: Outcome): object {
  return {
    round,
    offered,
    limit,
    'served/s': Math.round(servedMs.length / seconds),
    'p50 ms': percentile(servedMs, 0.5).toFixed(1),
    'p99 ms': percentile(servedMs, 0.99).toFixed(1),
    'rejected/s': Math.round(rejectedMs.length / seconds),
    'rejected p50 ms': percentile(rejectedMs, 0.5).toFixed(1),
    'rejected p99 ms': percentile(rejectedMs, 0.99).toFixed(1),
  };
}
