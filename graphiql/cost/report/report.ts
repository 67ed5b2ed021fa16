import { createStore } from '../../store.ts';
import type { Report } from '../types.ts';

/** The report of the last operation that was executed in the active tab; undefined before the first. */
export const report = createStore<Report | undefined>(undefined);

/** The number of operations that were executed with a report. */
export const reportedRuns = createStore(0);

/** The number of the latest run, or of the latest change of the tab: what an earlier run still receives is ignored. */
let latest = 0;

/**
 * Begins the report of an operation. Without `isReported`, the last one is dropped: it belongs to another operation. Returns
 * what adds the calls of one part of the response, as long as the operation is the latest one.
 */
export function startReport(isReported: boolean): (part: Report) => void {
  showReport(isReported ? { calls: [] } : undefined);
  if (isReported) reportedRuns.set(reportedRuns.get() + 1);
  const own = latest;
  return (part) => {
    if (own === latest) report.set(joined(report.get(), part));
  };
}

/** Shows the report of an earlier run, or none. */
export function showReport(earlier: Report | undefined): void {
  latest += 1;
  report.set(earlier);
}

function joined(earlier: Report | undefined, { calls, budget = earlier?.budget }: Report): Report {
  return { calls: [...(earlier?.calls ?? []), ...calls], ...(budget && { budget }) };
}
