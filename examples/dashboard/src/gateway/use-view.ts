import { useCallback, useMemo } from 'react';
import { type AnyVariables, type TypedDocumentNode, useQuery } from 'urql';
import { type Problem, problemsFrom } from './problems.ts';
import { emptyReport, type Report } from './report.ts';
import { useReport } from './report-store.ts';
import { useAutomaticRetry } from './use-automatic-retry.ts';

/** The data of a page, and all that is known about how it came. */
export interface View<Data> {
  /** Undefined until the first part has come, and where the whole operation failed. */
  data: Data | undefined;
  /** Whether the first part is still to come. */
  isLoading: boolean;
  /** Whether parts are still to come. */
  isPending: boolean;
  /** Whether the data is being read again. */
  isReloading: boolean;
  problems: readonly Problem[];
  report: Report;
  /** The time of the next automatic retry, in milliseconds since 1970. */
  retryAt: number | undefined;
  reload(): void;
}

const none: readonly Problem[] = [];

/** Reads the data of a page. */
export function useView<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): View<Data> {
  const [{ data, error, fetching, stale, hasNext, operation }, execute] = useQuery<Data, AnyVariables>({
    query,
    variables,
  });
  const report = useReport(operation?.key);
  const problems = useMemo(() => (error ? problemsFrom(error) : none), [error]);
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const isIdle = !fetching && !stale && !hasNext;
  return {
    data: data ?? undefined,
    isLoading: fetching && !data,
    isPending: hasNext,
    isReloading: stale || (fetching && data !== undefined),
    problems,
    report: report ?? emptyReport,
    retryAt: useAutomaticRetry(problems, isIdle, reload),
    reload,
  };
}
