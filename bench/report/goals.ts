import { majorOf, type Results } from '../measure/results.ts';
import { cpuRatio, type Spread, spreadOf } from '../measure/statistics.ts';
import { type WorkloadId, workloadOf } from '../workloads/workloads.ts';

/** A figure with the value that it is not to exceed. */
interface Goal {
  text: string;
  atMost: number;
  digits: number;
  measured: Spread | undefined;
}

const byHandGoals: [workload: WorkloadId, atMost: number][] = [
  ['w2', 1.2],
  ['w4', 1.25],
  ['w8', 1.25],
  ['w9', 1.25],
  ['w10', 1.15],
];

const everyWorkload: WorkloadId[] = ['w2', 'w4', 'w6', 'w8', 'w9', 'w10'];

/** Every goal with its measurement. */
export function goalsOf(results: Results): Goal[] {
  const { startUps } = results;
  return [
    ...byHandGoals.map(([workload, atMost]) => ratioGoal(results, workload, 'hand-written-space', atMost)),
    ...everyWorkload.map((workload) => ratioGoal(results, workload, 'mercurius', 1)),
    peakGoal(results, 'w2', majorOf(results) <= 20 ? 150 : 180),
    peakGoal(results, 'w10', 320),
    {
      text: 'start-up / Mercurius with JIT',
      atMost: 0.75,
      digits: 2,
      measured: pairedRatio(startUps, 'mercurius', ({ readyMs }) => readyMs),
    },
    {
      text: 'RSS after start, MB',
      atMost: majorOf(results) <= 20 ? 83 : 95,
      digits: 0,
      measured: spreadOf(startUps.flatMap(({ contender, rssMb }) => (contender === 'portico' ? rssMb : []))),
    },
    latencyGoal(results),
  ];
}

function ratioGoal(results: Results, workload: WorkloadId, baseline: string, atMost: number): Goal {
  const other = baseline === 'mercurius' ? 'Mercurius with JIT' : 'by hand';
  const text = `${workloadOf(workload).title}: CPU / ${other}`;
  return { text, atMost, digits: 2, measured: cpuRatio(results, workload, 'portico', baseline) };
}

function peakGoal({ series }: Results, workload: WorkloadId, atMost: number): Goal {
  const own = series.filter((one) => one.workload === workload && one.contender === 'portico');
  const text = `${workloadOf(workload).title}: peak RSS at saturation, MB`;
  return { text, atMost, digits: 0, measured: spreadOf(own.map(({ peakMb }) => peakMb)) };
}

function latencyGoal({ latencies }: Results): Goal {
  const text = 'w2 at 4,000 a second, a REST call of 4 ms: p99 / by hand';
  const measured = pairedRatio(latencies, 'hand-written-space', ({ p99Ms }) => p99Ms);
  return { text, atMost: 1.3, digits: 2, measured };
}

/** A figure of Portico divided by that of another contender in the same round. */
function pairedRatio<T extends { round: number; contender: string }>(
  all: readonly T[],
  baseline: string,
  read: (one: T) => number,
): Spread | undefined {
  const others = all.filter(({ contender }) => contender === baseline);
  return spreadOf(
    all.flatMap((own) => {
      const other = others.find(({ round }) => round === own.round);
      return own.contender === 'portico' && other ? [read(own) / read(other)] : [];
    }),
  );
}
