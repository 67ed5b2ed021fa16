import { group } from 'd3-array';
import { connectionsOf } from '../measure/plan.ts';
import type { Results } from '../measure/results.ts';
import { workloadOf, workloads } from '../workloads/workloads.ts';
import {
  coalescingTable,
  contendersTable,
  disturbanceOf,
  goalsTable,
  growthTable,
  latencyTable,
  memoryTable,
  obstaclesList,
  processesTable,
  profileTable,
  ratiosTable,
  startUpTable,
  turnsTable,
} from './tables.ts';

/** The page with the results of a full run; `all`: those of each Node, for the goals. */
export function pageOf(results: Results, all: readonly Results[]): string {
  return `${[
    opening(results),
    '## Goals',
    goalsTable(all),
    'What stands in the way of those that are missed:',
    obstaclesList(all),
    '## Workloads',
    workloads
      .filter(({ id }) => results.plan.workloads.includes(id))
      .map(({ short, title, restCalls }) => `- **${short}** ${title}: ${callsText(restCalls)}`)
      .join('\n'),
    workloadsNote,
    '## CPU per operation, compared',
    'CPU per operation of Portico with warnings logged, divided by that of the other contender:',
    ratiosTable(results, 'portico'),
    'The same for Portico as it comes, which logs a line for each operation:',
    ratiosTable(results, 'portico-default'),
    '## CPU microseconds per operation',
    '![CPU per operation](performance-cpu.svg)',
    turnsTable(results, ({ cpuUs }) => cpuUs, 0),
    '## Lists, and unseen documents',
    'CPU microseconds of one site, alone (w1) and in lists (w4, w11), and of w2 with a document that is known and with one that is not (w6):',
    growthTable(results),
    '## Where the CPU goes',
    profileNote,
    profileTable(results),
    '## Operations per second at saturation',
    turnsTable(results, ({ perSecond }) => perSecond, 0),
    saturationNote(results),
    '## Memory',
    memoryNote,
    memoryTable(results),
    'Peak RSS at saturation, MB:',
    processesTable(results, ({ peakMb }) => peakMb),
    '## Start-up',
    startUpNote(results),
    startUpTable(results),
    '## Latency at half of the saturation',
    latencyNote(results),
    ...latencySections(results),
    '## Upstream calls per operation',
    turnsTable(results, ({ calls }) => calls, 2),
    '## Coalescing',
    coalescingNote,
    coalescingTable(results),
    '## Contenders',
    contendersTable(results),
    contendersNote,
    unsupportedText(results),
    '## Method',
    methodNote(results),
    disturbanceNote(results),
    '## Not measured',
    notMeasured,
  ].join('\n\n')}\n`;
}

function opening({ measuredOn, machine, plan: { cycles } }: Results): string {
  const { processor, cores, memoryGiB, system, node, nginx, isPinned } = machine;
  const pinning = isPinned
    ? 'contenders on the first core, load generator and upstream on the others'
    : '**processes not pinned to cores**, so that they disturb each other';
  const upstream = nginx ? `nginx ${nginx}` : 'no nginx, so that the upstream is a Node server';
  return `# Performance

What an operation costs in Portico, and in other GraphQL servers in front of the same REST API. \`npm run bench\` writes this page
from its measurements (\`bench/results-*.json\`).

Measured on ${measuredOn}: ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}, ${upstream}; ${pinning}.

Figures are medians, with the first and third quartile in brackets. A ratio is the median of ${cycles} paired ratios: in each cycle both
contenders have a turn, a few seconds apart at most, and the ratio is that of these two turns.`;
}

function callsText(calls: number): string {
  return calls === 1 ? '1 REST call' : `${calls} REST calls`;
}

const workloadsNote = `Every request carries one of 100 API keys, which has to reach the REST API, because each site has one owner. In all workloads but w5
consecutive requests are for different sites, so that no equal calls overlap. In w5 each key has five sites, and calls for popular sites
often overlap. In w6 each request has an operation name of its own, so that no cache knows its document.`;

const profileNote = `CPU profiles of w2, by the package, module or folder of the running function. The profiler itself uses CPU. JSON is parsed and serialised in
the code that calls for it. Unlike the hand-written handler, Portico checks host, framing, key and limits of every request; sets a request id
and security headers; has deadlines for operations and calls; looks up the document, and checks variables, call budget and rate-limit gate;
coalesces calls; queues them fairly between keys; records them in the circuit breaker; and decodes every field of the response.`;

function saturationNote({ plan }: Results): string {
  const { connections, turnSeconds, cycles } = plan;
  return `A closed loop on ${connections} connections (${connectionsOf(plan, workloadOf('fifty'))} in w11), each with one request in flight: ${cycles} turns of ${turnSeconds} s. In w5 the delay of the upstream bounds the
rate.`;
}

const memoryNote = `RSS after start is read when the contender accepts connections. Garbage is what V8 allocates on its heap, without external
memory such as buffers: the sum of the growth of the used heap between one garbage collection and the next, recorded in the contender by
\`v8.GCProfiler\` during a run of its own.`;

function startUpNote({ plan: { startUps } }: Results): string {
  return `From the spawn of the built program to the first 200 of \`/readyz\`, and RSS then: median of ${startUps} starts. The embedded reference
creates its database in that time.`;
}

function latencyNote({ plan: { latency } }: Results): string {
  return `w2 in an open loop: requests are sent on a fixed schedule, at half of the contender's operations per second at saturation, at most ${latency.maxPerSecond}
a second and half of what the connections to the upstream can carry. A latency counts from when its request was due. "Added" compares with the
REST call without a contender, at the same rate. A contender may use every core, which it shares with the load generator and the upstream.
Figures are medians of ${latency.rounds} turns.`;
}

function latencySections(results: Results): string[] {
  const { delaysMs } = results.plan.latency;
  const shortest = Math.min(...delaysMs);
  return [
    ...delaysMs.flatMap((delayMs) => [
      `### Upstream delay of ${delayMs} ms`,
      `![Latency added](performance-latency-${delayMs}.svg)`,
      latencyTable(results, delayMs),
    ]),
    `### Upstream delay of ${shortest} ms, on one core`,
    'The threads of V8 that collect garbage compete with the one that serves, as in a container of one CPU.',
    latencyTable(results, shortest, true),
  ];
}

const coalescingNote = `The upstream of w5 counts calls of the same key for the same resource that overlap in time. 1.00 means that no two equal calls were ever in
flight together.`;

const contendersNote = `All run with \`NODE_ENV=production\`, with their document caches, and with at most 128 connections to the REST API where that is a setting.
Portico has its defaults, except that it logs warnings only (\`LOG_LEVEL=warn\`); Portico as it comes logs a line for each operation, to a
file. No other contender logs. The hand-written handler gets the same requests, selects the operation by its name, and does
what it needs and nothing else: node:http, undici's \`dispatch\`, parse, project, stringify. Yoga, Mercurius and Apollo Server look one level
ahead for \`include\`, so that all make the same calls; Apollo's data source uses Node's fetch, which keeps connections open. The schema of Hive
Gateway is generated from the OpenAPI document, and it runs with its JIT; for it and for Tailcall requests contain \`include\`, and 20 sites are
20 fields.`;

function unsupportedText({ unsupported, contenders }: Results): string {
  if (unsupported.length === 0) return 'Every contender supports every workload.';
  const reasons = group(unsupported, ({ contender, reason }) => `${contender} ${reason}`);
  const lines = [...reasons.values()].map((rows) => {
    const [{ contender, reason } = { contender: '', reason: '' }] = rows;
    const title = contenders.find(({ id }) => id === contender)?.title ?? contender;
    const shorts = rows.map(({ workload }) => workloads.find(({ id }) => id === workload)?.short);
    return `- ${title}, ${shorts.join(' and ')}: not possible, because ${reason}.`;
  });
  return lines.join('\n');
}

function methodNote({ machine: { nginx }, plan }: Results): string {
  const upstream = nginx
    ? 'an nginx with one worker that serves files'
    : 'a Node server in the process of the load generator, because nginx is not installed';
  return `\`\`\`sh
npm ci --prefix bench
npm run bench              # writes this page
npm run bench -- --quick   # prints the ratios of w1 to w6
npm run bench -- --check   # checks the responses of every contender
\`\`\`

In each workload all contenders run at the same time, and take turns of ${plan.turnSeconds} s: while one gets requests, the others are idle. The order rotates,
and every second cycle reverses it. Before its first turn a contender gets ${plan.warmUp.clients.toLocaleString('en-US')} requests (w3 ${plan.warmUp.dashboard.toLocaleString('en-US')}, w4 ${plan.warmUp.many.toLocaleString('en-US')}, w6 ${plan.warmUp.unseen.toLocaleString('en-US')}; the slowest ones a fraction of that), and each turn starts with two
requests on each connection that are not measured. CPU is that of all threads of the contender's processes, in nanoseconds from
\`/proc/<pid>/task/*/schedstat\`; peak memory is \`VmHWM\` in \`/proc/<pid>/status\`.

The upstream is ${upstream}; over TLS in w7, with a self-signed certificate. Where it delays its responses, it is a Node server in the process of the
load generator, which polls its clock rather than waiting for timers. It counts its calls. Every response is compared with the fixtures.`;
}

/** How far the run can be trusted, from its own measurements. */
export function disturbanceNote(results: Results): string {
  const { wait, idle, load } = disturbanceOf(results);
  if (!wait) return 'This system does not report for how long contenders waited for their core.';
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return `The main thread of a contender waited for its core ${percent(wait.median)} of the time (${percent(wait.low)}–${percent(wait.high)}), for its own other threads or for other
processes. An idle contender used at most ${percent(idle)} of a core, the load generator at most ${percent(load)} of its own.`;
}

const notMeasured = `- Real networks, and an upstream that fails: see [faults.md](faults.md) and the tests.
- Cached responses (\`CACHE_TTL_MS\`), incremental delivery (\`@defer\`, \`@stream\`), trusted documents, several processes.
- More than some hundred connections. Overload: \`npm run bench:overload\`.
- Other contenders with limits, budgets and deadlines like those of Portico: they have none here.`;
