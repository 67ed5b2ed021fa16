import { useCallback, useMemo, useState } from 'react';
import { type AnyVariables, type TypedDocumentNode, useQuery } from 'urql';
import { useLiveState } from './live/live-store.ts';
import type { LivePlan } from './live/live-stream.ts';
import { type LiveDocument, useLive } from './live/use-live.ts';
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
  /** Whether it comes again whenever it changes. */
  isLive: boolean;
  /** What it costs to read it live. */
  livePlan?: LivePlan | undefined;
  problems: readonly Problem[];
  report: Report;
  /** The time of the next automatic retry, in milliseconds since 1970. */
  retryAt: number | undefined;
  reload(): void;
}

/** The documents of a page: to read it once, and to read it live. */
export interface ViewDocuments<Data, LiveData, Variables extends AnyVariables> {
  query: TypedDocumentNode<Data, Variables>;
  live: LiveDocument<LiveData, Variables>;
}

const none: readonly Problem[] = [];
const offline = problemsFrom({ networkError: new Error('The connection was lost.'), graphQLErrors: [] });

/** Reads the data of a page: once or, while the switch of the header is on, again whenever it changes. */
export function useView<Data, LiveData, Variables extends AnyVariables & object>(
  { query, live }: ViewDocuments<Data, LiveData, Variables>,
  variables: Variables,
): View<Data | LiveData> {
  const { isOn } = useLiveState();
  const once = useOnce(query, variables, isOn);
  const { result, isLost, plan, reconnect } = useLive(live, variables, isOn);
  if (!isOn) return once;
  // What was read before stays until the first event.
  const { data, problems, report, retryAt } = result ?? { ...once, retryAt: undefined };
  const isEmpty = !result && data === undefined;
  return {
    data,
    isLoading: isEmpty && !isLost,
    isPending: false,
    isReloading: false,
    isLive: true,
    livePlan: plan,
    problems: isEmpty && isLost ? offline : problems,
    report,
    retryAt,
    reload: reconnect,
  };
}

function useOnce<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  isPaused: boolean,
): View<Data> {
  // After live data, what the cache has is too old.
  const [wasPaused, setWasPaused] = useState(isPaused);
  if (isPaused && !wasPaused) setWasPaused(true);
  const [{ data, error, fetching, stale, hasNext, operation }, execute] = useQuery<Data, AnyVariables>({
    query,
    variables,
    pause: isPaused,
    requestPolicy: wasPaused ? 'cache-and-network' : 'cache-first',
  });
  const report = useReport(operation?.key);
  const problems = useMemo(() => (error ? problemsFrom(error) : none), [error]);
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const isIdle = !isPaused && !fetching && !stale && !hasNext;
  return {
    data: data ?? undefined,
    isLoading: fetching && !data,
    isPending: hasNext,
    isReloading: stale || (fetching && data !== undefined),
    isLive: false,
    problems,
    report: report ?? emptyReport,
    retryAt: useAutomaticRetry(problems, isIdle, reload),
    reload,
  };
}
