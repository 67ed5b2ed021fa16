import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { median } from 'd3-array';
import { portico } from '../contenders/portico.ts';
import { seededRandom } from '../fixtures/random.ts';
import { percentile, runOpenLoop } from '../load/open-loop.ts';
import { type LoadRequest, postOperation, type Traffic } from '../load/send.ts';
import { canPin, leaveFirstCore } from '../processes/cores.ts';
import { startServer } from '../processes/server.ts';
import { startNodeUpstream } from '../upstream/node.ts';
import { dashboards, KEYS, type Ownership, respond, SITES } from './dashboards.ts';

const UPSTREAM_DELAY_MS = 20;
const PER_SECOND = 100;

const query = `query ($id: ID!) {
  conversationContext(id: $id) {
    subject
    status
    messages(last: 3) { author text }
    sites {
      address
      site { id address1 city serviceLevel clients { id name } projects { id name } }
    }
  }
}`;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 1 : 3;
const seconds = values.quick ? 2 : 8;
const leadSeconds = values.quick ? 1 : 3;

const settings: Record<string, Record<string, string>> = {
  coalescing: {},
  'and a cache of 1 s': { CACHE_TTL_MS: '1000' },
};
const sitesPerKey: Record<Ownership, number> = { all: SITES, own: SITES / KEYS };

leaveFirstCore();
const rows: object[] = [];
for (const ownership of ['all', 'own'] as const) {
  for (const [setting, env] of Object.entries(settings)) rows.push(await measure(ownership, setting, env));
}
const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, Node ${process.version}, ${canPin ? 'one core each' : 'cores shared'}`);
console.table(rows);

async function measure(ownership: Ownership, setting: string, env: Record<string, string>): Promise<object> {
  const upstream = await startNodeUpstream(respond);
  upstream.setDelay(UPSTREAM_DELAY_MS);
  const gateway = await startServer(portico, upstream, env);
  const calls: number[] = [];
  const p50Ms: number[] = [];
  const p99Ms: number[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const traffic = createTraffic(ownership, round);
      const arrivals = { random: seededRandom(round + 1) };
      const before = upstream.counts().calls;
      await runOpenLoop(gateway.url, { perSecond: PER_SECOND, leadSeconds, seconds, arrivals }, traffic);
      calls.push((upstream.counts().calls - before) / traffic.sent());
      p50Ms.push(percentile(traffic.latenciesMs, 0.5));
      p99Ms.push(percentile(traffic.latenciesMs, 0.99));
    }
  } finally {
    await gateway.stop();
    upstream.close();
  }
  return {
    'sites per key': sitesPerKey[ownership],
    setting,
    'calls per operation': median(calls)?.toFixed(2),
    'p50 ms': median(p50Ms)?.toFixed(1),
    'p99 ms': median(p99Ms)?.toFixed(1),
  };
}

/** Dashboards, whose responses must be complete. */
function createTraffic(ownership: Ownership, seed: number) {
  const opened = dashboards(ownership, seed);
  const latenciesMs: number[] = [];
  let sent = 0;
  const traffic: Traffic<LoadRequest> = {
    next() {
      sent += 1;
      const { key, conversationId } = opened.next().value;
      return postOperation(key, { query, variables: { id: conversationId } });
    },
    onResponse(_, { body }, latencyMs, isMeasured) {
      const { data, errors } = JSON.parse(body.toString()) as {
        data?: { conversationContext: unknown };
        errors?: unknown;
      };
      if (errors !== undefined || !data?.conversationContext) throw new Error(body.toString().slice(0, 500));
      if (isMeasured) latenciesMs.push(latencyMs);
    },
  };
  return { ...traffic, latenciesMs, sent: () => sent };
}
