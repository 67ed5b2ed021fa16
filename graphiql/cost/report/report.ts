import { createStore } from '../../store.ts';
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
  return ({ calls, budget = report.budget }) => {
    report = { calls: [...report.calls, ...calls], ...(budget && { budget }) };
    lastRun.set(report);
  };
}

/** Begins a live query. Returns what counts an event. */
export function startLive(): (event: { extensions?: unknown }) => void {
  let events = 0;
  lastRun.set(undefined);
  return ({ extensions }) => {
    const { stale = [] } = (extensions ?? {}) as { stale?: StaleData[] };
    const now = Date.now();
    const asOf = stale.map(({ path, ageSeconds }) => ({ path, asOf: new Date(now - ageSeconds * 1000) }));
    events += 1;
    lastRun.set({ events, lastAt: new Date(now), stale: asOf });
  };
}
