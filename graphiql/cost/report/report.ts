import type { Heartbeat } from '../../request/heartbeats.ts';
import { createStore } from '../../store.ts';
import type { LiveRun, Report, StaleData } from '../types.ts';
import type { Quota } from './quota.ts';

/** Of the operation that was executed last in the active tab: its report, or the events of a live query. */
export const lastRun = createStore<ReportSoFar | LiveRun | undefined>(undefined);

/** `endedAt`: when its latest part came. */
export type ReportSoFar = Report & { endedAt: Date };

/** The number of operations that were executed with a report. */
export const reportedRuns = createStore(0);

/**
 * Begins the report of an operation. Without `isReported`, the last one is dropped: it belongs to another
 * operation. Returns what adds the calls of one part of the response.
 */
export function startReport(isReported: boolean): (part: Report) => void {
  let report: ReportSoFar = { calls: [], endedAt: new Date() };
  lastRun.set(isReported ? report : undefined);
  if (isReported) reportedRuns.set(reportedRuns.get() + 1);
  return (part) => {
    report = { ...report, ...part, calls: [...report.calls, ...part.calls], endedAt: new Date() };
    lastRun.set(report);
  };
}

/** Begins a live query. Returns what counts an event, and what notes a heartbeat. */
export function startLive() {
  let run: LiveRun | undefined;
  lastRun.set(undefined);
  return {
    addEvent({ extensions }: { extensions?: unknown }, quota: Quota | undefined): void {
      const { stale = [] } = (extensions ?? {}) as { stale?: StaleData[] };
      const now = Date.now();
      const asOf = stale.map(({ path, ageSeconds }) => ({ path, asOf: new Date(now - ageSeconds * 1000) }));
      const events = (run?.events ?? 0) + 1;
      run = {
        events,
        lastAt: new Date(now),
        stale: asOf,
        quota: quota ?? run?.quota,
        checkedAt: new Date(Math.min(now, ...asOf.map((one) => Number(one.asOf)))),
        isOverdue: false,
      };
      lastRun.set(run);
    },
    addHeartbeat({ ageSeconds, intervals }: Heartbeat): void {
      if (!run) return;
      const checkedAt = new Date(Date.now() - ageSeconds * 1000);
      run = { ...run, checkedAt, isOverdue: intervals >= MISSED_FROM };
      lastRun.set(run);
    },
  };
}

/** Of the intervals of a poll: the call of the first one has failed, and that of the second. */
const MISSED_FROM = 2;
