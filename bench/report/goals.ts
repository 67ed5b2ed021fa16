import { majorOf, type Results, type StartUp } from '../measure/results.ts';
import { cpuRatio, type Spread, spreadOf, turnsOf } from '../measure/statistics.ts';
import { type WorkloadId, workloadOf } from '../workloads/workloads.ts';

/** A figure with the value that it is not to exceed. */
export interface Goal {
  text: string;
  goal: number;
  digits: number;
  measured: Spread | undefined;
  isReached: boolean | undefined;
  /** What stands in the way. */
  obstacle: string;
}

const LATENCY_DELAY_MS = 4;

/** What stands in the way of a goal, and what it would cost: shown where the goal is missed. */
const obstacles: [goal: RegExp, text: string][] = [
  [
    /^w2: CPU.* as it comes .* hand-written/,
    'what the handler does not do, as for Portico with warnings logged, and the line of the log, a sixth of the CPU time: `LOG_LEVEL=warn` saves it.',
  ],
  [
    /^w2: CPU.* hand-written/,
    'what the handler does not do (limits, deadlines, fair queues, the circuit breaker, decoding of each field), five more header fields, and the garbage of it. But for JSON.parse, which both have, no function of Portico takes 3 % of w2; less would be fewer promises to callers, or an HTTP client of our own.',
  ],
  [
    /^w4: CPU.* hand-written/,
    'each of 20 calls has its budget, deadline, fair queue, breaker and coalescing, and 640 calls in flight survive a collection. A young space of 32 MB would save a tenth, for 90 MB more ([decision 18](decisions/18-calls-die-young.md)).',
  ],
  [
    /^w\d+: CPU.* hand-written/,
    'both parse the same JSON; Portico decodes each value, and counts what the REST API is not documented to send.',
  ],
  [
    /^w[2-5]: CPU.* Mercurius with JIT and dispatch/,
    'Mercurius has neither budget nor deadline, queue, breaker or coalescing for its calls, and lets V8 take a young space of 32 MB on Node 24.',
  ],
  [
    /^w6: CPU/,
    'two fifths are to parse and to validate a text once, by graphql-js; the rest is to check its limits, and to compile it for one execution. Less would be a validation of our own.',
  ],
  [/^w\d+: CPU/, 'the figure of the other contender changes with its releases.'],
  [
    /garbage per operation/,
    'each call has the objects of its layers: a request, its target, a deadline, a place in the queue and four closures.',
  ],
  [
    /^w2: peak RSS/,
    'the young space. With one of 4 MB the peak of w2 is 150 MB, but w4 takes 1.6 times the CPU time.',
  ],
  [/^w6: peak RSS/, 'documents that survive two collections and are garbage then, in old space.'],
  [/^w10: peak RSS/, '32 bodies, their texts and the responses at once, most of them outside of the heap.'],
  [
    /start-up|RSS after start/,
    'Node 24 itself takes longer to start than Node 20, and 10 MB more; the rest is code to read and compile.',
  ],
  [
    /half load/,
    'the collections of the young space, which have 1.3 times the garbage of the handler, on a machine of two cores that the load generator and the upstream share; the median adds a tenth of a millisecond.',
  ],
];

/** A goal for every Node, or one up to Node 20 and another for later ones. */
type ByNode = number | { upTo20: number; later: number };

const ratioGoals: [workload: WorkloadId, contender: string, baseline: string, goal: ByNode][] = [
  ['clients', 'portico', 'hand-written', { upTo20: 1.15, later: 1.2 }],
  ['clients', 'portico-default', 'hand-written', { upTo20: 1.3, later: 1.35 }],
  ['many', 'portico', 'hand-written', 1.15],
  ['mix', 'portico', 'hand-written', 1],
  ['hundred', 'portico', 'hand-written', 1.25],
  ['messages', 'portico', 'hand-written', 1.25],
  ['thread', 'portico', 'hand-written', 1.25],
  ['clients', 'portico', 'mercurius-dispatch', 0.95],
  ['dashboard', 'portico', 'mercurius-dispatch', 0.95],
  ['many', 'portico', 'mercurius-dispatch', 0.95],
  ['mix', 'portico', 'mercurius-dispatch', 0.95],
  ['unseen', 'portico', 'mercurius-dispatch', 0.95],
  ['unseen', 'portico', 'mercurius', 1.25],
  ['unseen', 'portico', 'yoga', 0.4],
  ['clients', 'portico', 'yoga-dispatch', 0.5],
  ['clients', 'portico', 'yoga', 0.33],
  ['clients', 'portico', 'apollo', 0.3],
  ['clients', 'portico', 'hive', 0.1],
];

const startUpGoals: [upstream: StartUp['upstream'], readyMs: number, rssMb: number][] = [
  ['UPSTREAM_URL', 300, 90],
  ['embedded reference', 500, 110],
];

/** Every goal with its measurement. */
export function goalsOf(results: Results): Goal[] {
  return [
    ...ratioGoals.map((row) => ratioGoal(results, ...row)),
    coalescingGoal(results),
    ...memoryGoals(results),
    ...startUpGoals.flatMap(([upstream, readyMs, rssMb]) => {
      const startUps = results.startUps.filter((one) => one.upstream === upstream);
      return [
        compared(`start-up with ${upstream}, ms`, readyMs, 0, spreadOf(startUps.map((one) => one.readyMs))),
        compared(
          `RSS after start with ${upstream}, MB`,
          rssMb,
          0,
          spreadOf(startUps.map((one) => one.rssMb)),
        ),
      ];
    }),
    ...latencyGoals(results),
  ];
}

function ratioGoal(
  results: Results,
  workload: WorkloadId,
  contender: string,
  baseline: string,
  goal: ByNode,
): Goal {
  const titleOf = (id: string) => results.contenders.find((one) => one.id === id)?.title ?? id;
  const text = `${workloadOf(workload).short}: CPU per operation, ${titleOf(contender)} / ${titleOf(baseline)}`;
  return compared(text, goalOn(results, goal), 2, cpuRatio(results, workload, contender, baseline));
}

function coalescingGoal({ turns }: Results): Goal {
  const measured = turnsOf(turns, 'mix', 'portico').map(({ callsPerDistinct }) => callsPerDistinct);
  return compared('w5: upstream calls for each distinct one', 1, 2, spreadOf(measured));
}

function memoryGoals(results: Results): Goal[] {
  const { garbage, processes } = results;
  const bytesOf = (id: string) =>
    garbage.filter(({ contender }) => contender === id).map(({ bytesPerOperation }) => bytesPerOperation);
  const byHand = bytesOf('hand-written');
  const ratios = bytesOf('portico').map((bytes, n) => bytes / (byHand[n] ?? Number.NaN));
  const peakIn = (id: WorkloadId) =>
    spreadOf(
      processes
        .filter(({ contender, workload }) => contender === 'portico' && workload === id)
        .map(({ peakMb }) => peakMb),
    );
  return [
    compared('w2: garbage per operation / hand-written', 1.1, 2, spreadOf(ratios)),
    compared(
      'w2: peak RSS at saturation, MB',
      goalOn(results, { upTo20: 150, later: 160 }),
      0,
      peakIn('clients'),
    ),
    compared('w6: peak RSS at saturation, MB', 200, 0, peakIn('unseen')),
    compared('w10: peak RSS at saturation, MB', 220, 0, peakIn('thread')),
  ];
}

function latencyGoals({ latencies }: Results): Goal[] {
  const at4 = latencies.filter(({ delayMs }) => delayMs === LATENCY_DELAY_MS);
  // On one core the threads of V8 compete with the one that serves: that is a figure of the machine.
  const unpinned = at4.filter(({ isPinned }) => !isPinned);
  const own = unpinned.filter(({ contender }) => contender === 'portico');
  const p99Of = (id: string, inRound: number) =>
    unpinned.find(({ contender, round }) => contender === id && round === inRound)?.p99Ms ?? Number.NaN;
  const rounds = [...new Set(unpinned.map(({ round }) => round))];
  const ratios = rounds.map((round) => p99Of('portico', round) / p99Of('hand-written', round));
  const at = `added to a REST call of ${LATENCY_DELAY_MS} ms at half load, ms`;
  return [
    compared(`w2: p50 ${at}`, 1, 2, spreadOf(own.map(({ p50Ms, direct }) => p50Ms - direct.p50Ms))),
    compared('w2: p99 at half load, Portico / hand-written', 1.3, 2, spreadOf(ratios)),
  ];
}

function goalOn({ machine }: Results, goal: ByNode): number {
  if (typeof goal === 'number') return goal;
  return majorOf(machine.node) <= 20 ? goal.upTo20 : goal.later;
}

function compared(text: string, goal: number, digits: number, measured: Spread | undefined): Goal {
  const [, obstacle = ''] = obstacles.find(([pattern]) => pattern.test(text)) ?? [];
  return { text, goal, digits, measured, isReached: measured && measured.median <= goal, obstacle };
}
