import { createStore } from '../../store.ts';
import type { Quota } from '../quota/quota.ts';
import type { LiveRun, Report, StaleData } from '../types.ts';

/** Of the operation that was executed last in the active tab: its report, or the events of a live query. */
export const lastRun = createStore<Report | LiveRun | undefined>(undefined);

/** The number of operations that were executed with a report. */
export const reportedRuns = createStore(0);

/**
 * Begins the report of an operation. Without `isReported`, the last one is dropped: it belongs to another
 * operation. Returns what adds the calls of one part of the response.
 */
export function startReport(isReported: boolean): (part: Report) => void {
  let report: Report = { calls: [] };
  lastRun.set(isReported ? report : undefined);
  if (isReported) reportedRuns.set(reportedRuns.get() + 1);
  return (part) => {
    report = { ...report, ...part, calls: [...report.calls, ...part.calls] };
    lastRun.set(report);
  };
}

/** Begins a live query. Returns what counts an event. */
export function startLive(): (event: { extensions?: unknown }, quota: Quota | undefined) => void {
  let events = 0;
  let latest: Quota | undefined;
  lastRun.set(undefined);
  return ({ extensions }, quota) => {
    const { stale = [] } = (extensions ?? {}) as { stale?: StaleData[] };
    const now = Date.now();
    const asOf = stale.map(({ path, ageSeconds }) => ({ path, asOf: new Date(now - ageSeconds * 1000) }));
    events += 1;
    latest = quota ?? latest;
    lastRun.set({ events, lastAt: new Date(now), stale: asOf, quota: latest });
  };
}
