import type { Results, Saturation } from '../rounds/results.ts';
import { type WorkloadId, workloadOf } from '../workloads/workloads.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** Something that Portico shall reach. */
interface Goal {
  text: string;
  goal: number;
  digits: number;
  measured: Spread | undefined;
  isReached: boolean | undefined;
}

const PRODUCT = 'portico';
const LATENCY_DELAY_MS = 4;

const cpuGoals: [workload: WorkloadId, contender: string, goal: number][] = [
  ['clients', 'floor', 1.25],
  ['clients', 'mercurius', 0.95],
  ['clients', 'yoga', 0.33],
  ['clients', 'apollo', 0.3],
  ['clients', 'hive', 0.1],
  ['dashboard', 'floor', 1.35],
];

/** Every goal beside what was measured. */
export function goalsOf(results: Results): Goal[] {
  return [
    ...cpuGoals.map(([...row]) => cpuGoal(results, ...row)),
    sharingGoal(results),
    ...otherGoals(results),
  ];
}

/** Of each round by itself, so that what the machine did meanwhile touches both. */
function cpuGoal(results: Results, workload: WorkloadId, contender: string, goal: number): Goal {
  const theirs = saturationOf(results, workload, contender);
  const ratios = saturationOf(results, workload, PRODUCT).map(({ round, cpuUs }) => {
    const other = theirs.find((candidate) => candidate.round === round)?.cpuUs;
    return cpuUs && other ? cpuUs / other : undefined;
  });
  const title = results.contenders.find(({ id }) => id === contender)?.title ?? contender;
  const text = `${workloadOf(workload).short}: CPU per operation, as a share of ${title}`;
  return compared(`${text}, at most`, goal, 2, spreadOf(ratios));
}

function sharingGoal(results: Results): Goal {
  const text = 'w5: upstream calls for each key, site and instant, at most';
  const measured = saturationOf(results, 'mix', PRODUCT).map(({ callsPerInstant }) => callsPerInstant);
  return compared(text, 1, 2, spreadOf(measured));
}

function otherGoals(results: Results): Goal[] {
  const added = results.latency.filter(
    ({ workload, contender, delayMs }) =>
      workload === 'clients' && contender === PRODUCT && delayMs === LATENCY_DELAY_MS,
  );
  const p50 = spreadOf(added.map(({ p50Ms, direct }) => direct && p50Ms - direct.p50Ms));
  const p99 = spreadOf(added.map(({ p99Ms, direct }) => direct && p99Ms - direct.p99Ms));
  const peak = spreadOf(
    results.saturation.filter(({ contender }) => contender === PRODUCT).map(({ peakMb }) => peakMb),
  );
  return [
    compared(`w2: p50 added to a REST call of ${LATENCY_DELAY_MS} ms at half load, ms, under`, 1, 2, p50),
    compared(`w2: p99 added to a REST call of ${LATENCY_DELAY_MS} ms at half load, ms, under`, 3, 2, p99),
    // What counts is the most, whichever workload and round it was in.
    compared('memory at saturation, MB, the most of all workloads, under', 200, 0, peak && atMost(peak.most)),
  ];
}

function atMost(number: number): Spread {
  return { median: number, least: number, most: number };
}

function compared(text: string, goal: number, digits: number, measured: Spread | undefined): Goal {
  return { text, goal, digits, measured, isReached: measured && measured.median <= goal };
}

/** The rounds of one contender in one workload. */
export function saturationOf(results: Results, workload: WorkloadId, contender: string): Saturation[] {
  return results.saturation.filter((row) => row.workload === workload && row.contender === contender);
}
