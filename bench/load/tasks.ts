import { startSlowUpstream } from '../upstream/slow.ts';
import { type DialectId, questionsOf } from '../workloads/dialects.ts';
import { type WorkloadId, workloadOf } from '../workloads/workloads.ts';
import { type Extent, runClosed } from './closed.ts';
import { runOpen } from './open.ts';

/** Whom to ask what. */
export interface Target {
  url: string;
  workload: WorkloadId;
  dialect: DialectId;
}

const slow = await startSlowUpstream();

/** What the load process does for the one that measures. */
export const tasks = {
  slowUrl: () => slow.url,
  setDelay: ({ ms }: { ms: number }) => slow.setDelay(ms),
  tally: () => slow.meetings.tally(),
  closed: ({
    url,
    workload,
    dialect,
    connections,
    extent,
  }: Target & { connections: number; extent: Extent }) =>
    runClosed(url, questionsOf(workloadOf(workload), dialect), connections, extent),
  open: ({
    url,
    workload,
    dialect,
    ...schedule
  }: Target & { perSecond: number; leadSeconds: number; seconds: number }) =>
    runOpen(url, questionsOf(workloadOf(workload), dialect), schedule),
};

export type Tasks = typeof tasks;
