import { useSyncExternalStore } from 'react';
import { type Exchange, mapExchange } from 'urql';
import { addToReport, emptyReport, type Report } from './report.ts';

/** The views of one visit; the report of the oldest goes first. */
const MAX_REPORTS = 50;

/** The report of each operation that went to the gateway, by the operation's key. */
function createReportStore() {
  const reports = new Map<number, Report>();
  /** Operations that were sent again, and have no result yet: until then the last report counts. */
  const restarted = new Set<number>();
  const listeners = new Set<() => void>();

  function set(key: number, report: Report): void {
    reports.delete(key);
    reports.set(key, report);
    for (const oldest of reports.keys()) {
      if (reports.size <= MAX_REPORTS) break;
      reports.delete(oldest);
    }
    for (const listener of listeners) listener();
  }

  /** Comes after the cache, so that it sees what is sent and received. */
  const exchange: Exchange = mapExchange({
    onOperation(operation) {
      if (operation.kind === 'teardown') restarted.delete(operation.key);
      else restarted.add(operation.key);
    },
    onResult(result) {
      const { key } = result.operation;
      const report = restarted.delete(key) ? undefined : reports.get(key);
      set(key, addToReport(report ?? emptyReport, result));
    },
  });

  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  return {
    exchange,
    subscribe,
    get: (key: number | undefined) => (key === undefined ? undefined : reports.get(key)),
  };
}

export const reportStore = createReportStore();

/** The report of an operation; undefined where its data came from the cache of this page. */
export function useReport(key: number | undefined): Report | undefined {
  return useSyncExternalStore(reportStore.subscribe, () => reportStore.get(key));
}
