import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import type { Report } from '../types.ts';
import { report, showReport } from './report.ts';

/** The reports of the tabs that are not active, as GraphiQL keeps their responses. */
const reports = new Map<string, Report | undefined>();

/** Shows the report that belongs to the active tab. A change of the tab ends the operation that runs in the last one. */
export function useReportOfTab(): void {
  const id = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  useEffect(() => {
    if (id === undefined) return;
    showReport(reports.get(id));
    return () => void reports.set(id, report.get());
  }, [id]);
}
