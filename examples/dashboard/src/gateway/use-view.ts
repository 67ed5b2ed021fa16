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
  /** Those that the data and the problems belong to: the last ones, until something has come for the next. */
  variables: unknown;
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

export interface ViewOptions {
  /** Reads nothing. */
  isPaused?: boolean;
  /** Reads from the gateway at each change of the variables, also what the cache of the page has. */
  isFresh?: boolean;
  /** What the automatic retry calls; absent: `reload`. Its identity must not change. */
  retry?: () => void;
}

const none: readonly Problem[] = [];
const offline = problemsFrom({ networkError: new Error('The connection was lost.'), graphQLErrors: [] });

/** Reads the data of a page: once or, while the switch of the header is on, again whenever it changes. */
export function useView<Data, LiveData, Variables extends AnyVariables & object>(
  { query, live }: ViewDocuments<Data, LiveData, Variables>,
  variables: Variables,
  options: ViewOptions = {},
): View<Data | LiveData> {
  const { isOn } = useLiveState();
  const once = useOnce(query, variables, isOn, options);
  const { result, isLost, plan, reconnect } = useLive(live, variables, isOn && !options.isPaused);
  if (!isOn) return once;
  // What was read before stays until the first event.
  const { data, problems, report, retryAt, variables: of } = result ?? { ...once, retryAt: undefined };
  const isEmpty = !result && data === undefined;
  return {
    variables: of,
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
  isLive: boolean,
  { isPaused: isOff = false, isFresh = false, retry }: ViewOptions,
): View<Data> {
  const isPaused = isLive || isOff;
  // After live data, what the cache has is too old.
  const [wasLive, setWasLive] = useState(isLive);
  if (isLive && !wasLive) setWasLive(true);
  const [{ data, error, fetching, stale, hasNext, operation }, execute] = useQuery<Data, AnyVariables>({
    query,
    variables,
    pause: isPaused,
    requestPolicy: isFresh ? 'network-only' : wasLive ? 'cache-and-network' : 'cache-first',
  });
  const report = useReport(operation?.key);
  const problems = useMemo(() => (error ? problemsFrom(error) : none), [error]);
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const isIdle = !isPaused && !fetching && !stale && !hasNext;
  return {
    variables: operation?.variables,
    data: data ?? undefined,
    isLoading: fetching && !data,
    isPending: hasNext,
    isReloading: stale || (fetching && data !== undefined),
    isLive: false,
    problems,
    report: report ?? emptyReport,
    retryAt: useAutomaticRetry(problems, isIdle, retry ?? reload),
    reload,
  };
}
