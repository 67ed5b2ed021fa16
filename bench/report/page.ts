import { group, max, median } from 'd3-array';
import type { Results } from '../rounds/results.ts';
import { workloads } from '../workloads/workloads.ts';
import {
  contendersTable,
  goalsTable,
  latencyTable,
  profileTable,
  saturationTable,
  sharingTable,
} from './tables.ts';

/** The page about what was measured. Every figure on it comes from the results. */
export function pageOf(results: Results): string {
  return `${[
    opening(results),
    '## What it shall reach',
    goalsTable(results),
    `Ratios are of two contenders in the same round. Figures are the median of all rounds (${results.plan.rounds}) and, in brackets, the least and the most.`,
    '## The operations',
    workloads
      .map(({ short, title, restCalls }) => `- **${short}** ${title}: ${callsText(restCalls)}`)
      .join('\n'),
    operationsNote,
    '## CPU microseconds per operation',
    '![CPU per operation](performance-cpu.svg)',
    saturationTable(results, ({ cpuUs }) => cpuUs, 0),
    '## Where it goes',
    profileNote,
    profileTable(results),
    '## Operations per second at saturation',
    saturationTable(results, ({ perSecond }) => perSecond, 0),
    saturationNote(results),
    '## Latency at half of that',
    latencyNote(results),
    ...latencySections(results),
    '## Upstream calls per operation',
    saturationTable(results, ({ calls }) => calls, 2),
    '## Upstream calls that could have been one',
    sharingNote,
    sharingTable(results),
    '## Peak memory at saturation, MB',
    saturationTable(results, ({ peakMb }) => peakMb, 0),
    '## Who takes part',
    contendersTable(results),
    contendersNote,
    unableText(results),
    '## How it was measured',
    methodNote(results),
    quietNote(results),
    '## What is not measured',
    notMeasured,
  ].join('\n\n')}\n`;
}

function opening({ measuredOn, isQuick, machine, plan }: Results): string {
  const { processor, cores, memoryGiB, system, node, nginx, isPinned } = machine;
  const places = isPinned
    ? 'each contender on the first core, who asks and the upstream on the others'
    : '**nothing held to a core of its own**, so all disturb each other';
  return `# Performance

What one operation costs in Portico, and in other ways to put GraphQL before the same REST API. Written by
\`npm run bench\` from what it measured (\`bench/results.json\`); not a figure here is from anywhere else.

Measured on ${measuredOn}: ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}, ${
    nginx ? `nginx ${nginx}` : 'no nginx, so a Node upstream'
  }; ${places}; rounds: ${plan.rounds}.${isQuick ? ' **A quick run, for a glance only.**' : ''}`;
}

function callsText(calls: number): string {
  return calls === 1 ? '1 REST call' : `${calls} REST calls`;
}

const operationsNote = `Each is asked with a key, which has to reach the REST API: it knows whose each site is. In w1 to w4 one site follows the
other, so that no two equal calls meet; in w5 each key has five sites of its own, and those asked for most meet often.`;

function saturationNote({ plan: { connections, seconds, warmUp }, saturation }: Results): string {
  const shares = saturation.filter(({ workload }) => workload !== 'mix').map(({ loadShare }) => loadShare);
  return `On ${connections} connections, on each the next question when the one before is answered: ${seconds} s, after ${warmUp.seconds} to ${warmUp.atMostSeconds} s
that do not count. The load took at most ${Math.round(Math.max(...shares) * 100)} % of its core; in w5 it is the upstream too, whose delay
bounds the rate.`;
}

const profileNote = `A CPU profile of each in w2, by where the function that runs belongs to; to be profiled costs something itself, and JSON is parsed and written
where it is asked for, in the own code. Beyond what the hand-written handler does, Portico looks at host, framing, key and limits of every
request; names it and gives its answer the fields that keep browsers and caches out; gives the operation and the call a deadline each; looks the
document up and checks its variables, its budget and the gate of the key; joins calls that are under way; takes a place in a queue that is fair
between keys, and tells the breaker; and holds every field of the answer against the contract.`;

function latencyNote({ plan: { latency } }: Results): string {
  return `Asked at fixed moments that do not wait for the answers, at half of what each contender can do, at most ${latency.mostPerSecond} times a
second and half of what the connections to the upstream can carry; counted from when a question was due. "Added" is beside the REST call asked directly at the same rate.`;
}

function latencySections(results: Results): string[] {
  const { delaysMs, workloads: measured } = results.plan.latency;
  return workloads
    .filter(({ id }) => measured.includes(id))
    .flatMap(({ id, short, title }) =>
      delaysMs.flatMap((delayMs) => [
        `### ${short}, ${title}: upstream answers after ${delayMs} ms`,
        ...(id === 'clients' ? [`![Latency added](performance-latency-${delayMs}.svg)`] : []),
        latencyTable(results, id, delayMs),
      ]),
    );
}

const sharingNote = `w5, whose upstream takes 4 ms, counted there: calls of one key for one thing that overlap in time are one instant. 1.00 says
that no two equal calls were ever under way together.`;

const contendersNote = `All run with \`NODE_ENV=production\`, without logging, with their caches of parsed documents, and with at most 128 connections to the
REST API where that can be set. The hand-written handler gets the same requests, takes the name of the operation for the operation, and does
what these need and nothing else: node:http, undici's \`dispatch\`, parse, project, stringify. Yoga, Mercurius and Apollo Server look one level
ahead for \`include\`, so that all make the same calls; Apollo's data source has Node's fetch, which keeps connections. Hive Gateway's
schema is made from the OpenAPI document, and it runs with its JIT; there and in Tailcall who asks gives \`include\` himself, and asks for 20 sites
by 20 fields. Portico has its defaults: keys, limits, budget and masking on.`;

function unableText({ unable, contenders }: Results): string {
  if (unable.length === 0) return 'Each can do all of the operations.';
  const reasons = group(unable, ({ contender, reason }) => `${contender} ${reason}`);
  const lines = [...reasons.values()].map((rows) => {
    const [{ contender, reason } = { contender: '', reason: '' }] = rows;
    const title = contenders.find(({ id }) => id === contender)?.title ?? contender;
    const shorts = rows.map(({ workload }) => workloads.find(({ id }) => id === workload)?.short);
    return `- ${title} cannot do ${shorts.join(' and ')}: ${reason}.`;
  });
  return lines.join('\n');
}

function methodNote({ machine: { nginx } }: Results): string {
  const upstream = nginx
    ? 'an nginx of one worker that serves files'
    : 'a Node server in the process of the load, for want of nginx';
  return `\`\`\`sh
npm ci --prefix bench
npm run bench              # writes this page
npm run bench -- --quick   # for a glance, into bench/quick/
npm run bench -- --check   # asks everything a few times and measures nothing
\`\`\`

Contenders take turns, round after round, each time in a new process. The upstream at saturation is ${upstream};
where it takes its time, a Node server in the process of the load, whose clock does not wait for timers. Every answer is compared with what
the fixtures say must come. CPU is user and system time of the whole process tree from \`/proc\`, memory the most that each of its processes
has held, and upstream calls are counted by the upstream.`;
}

/** What the run itself says about how far it can be trusted. */
function quietNote({ saturation, latency }: Results): string {
  const waits = [...saturation, ...latency].flatMap(({ waitShare }) =>
    waitShare === null ? [] : [waitShare],
  );
  const [half, most] = [median(waits), max(waits)];
  if (half === undefined || most === undefined)
    return 'How long contenders waited for their core is not known on this system.';
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return `A contender's main thread waited for its core ${percent(half)} of the time in the median and ${percent(most)} at most: for its own helper
threads, or for other processes. Latencies are worth something where that is little; CPU times bear more.`;
}

const notMeasured = `- TLS, real networks, and an upstream that fails: [faults.md](faults.md) has what is done then, and the tests show it.
- Answers kept with \`CACHE_TTL_MS\`, parts with \`@defer\`, trusted documents: all off or not asked for.
- More than some hundred connections; more load than can be served (\`npm run bench:overload\`).
- How the others behave with limits, budgets and deadlines like Portico's: they have none here.`;
