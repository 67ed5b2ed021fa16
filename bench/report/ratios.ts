import type { Results, Turn } from '../measure/results.ts';
import type { WorkloadId } from '../workloads/workloads.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** The turns of one contender in one workload. */
export function turnsOf(turns: readonly Turn[], workload: WorkloadId, contender: string): Turn[] {
  return turns.filter((turn) => turn.workload === workload && turn.contender === contender);
}

/**
 * CPU per operation of one contender, divided by that of another: one ratio for each cycle, of the two turns in it. The
 * machine's speed in that cycle cancels.
 */
export function cpuRatio(
  { turns }: Pick<Results, 'turns'>,
  workload: WorkloadId,
  contender: string,
  baseline: string,
): Spread | undefined {
  const others = turnsOf(turns, workload, baseline);
  const ratios = turnsOf(turns, workload, contender).map(({ cycle, cpuUs }) => {
    const other = others.find((turn) => turn.cycle === cycle)?.cpuUs;
    return cpuUs && other ? cpuUs / other : undefined;
  });
  return spreadOf(ratios);
}
