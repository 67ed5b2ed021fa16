import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type AnyVariables, type TypedDocumentNode, useQuery } from 'urql';
import { useLiveState } from './live/live-store.ts';
import { type LiveDocument, useLive } from './live/use-live.ts';
import { type Problem, problemsFrom } from './problems.ts';
import { type Report, reportFrom } from './report.ts';

/** The data of a page, and all that is known about how it came. */
export interface View<Data> {
  /** Undefined until the first part has come, and if the whole operation failed. */
  data: Data | undefined;
  /** The first part is still to come. */
  isLoading: boolean;
  /** Further parts are still to come. */
  isPending: boolean;
  /** The data is being read again. */
  isReloading: boolean;
  /** The data comes again whenever it changes. */
  isLive: boolean;
  problems: readonly Problem[];
  report: Report;
  /** The time of the next automatic retry, in milliseconds since 1970. */
  retryAt: number | undefined;
  /** By which the operator finds a failed operation in the log. */
  requestId?: string | undefined;
  reload(): void;
}

/** The documents of a page: to read it once, and to read it live. */
export interface ViewDocuments<Data, LiveData, Variables extends AnyVariables> {
  query: TypedDocumentNode<Data, Variables>;
  live: LiveDocument<LiveData, Variables>;
}

/** Reads the data of a page: once or, while the switch of the header is on, again whenever it changes. */
export function useView<Data, LiveData, Variables extends AnyVariables & object>(
  { query, live: liveQuery }: ViewDocuments<Data, LiveData, Variables>,
  variables: Variables,
): View<Data | LiveData> {
  const { isOn, retryAt } = useLiveState();
  const once = useOnce(query, variables, isOn);
  const { live, reconnect } = useLive(liveQuery, variables, isOn);
  if (!isOn) return once;
  // The earlier data stays until the first event.
  const data = live ? live.data : once.data;
  const isLoading = !live && !data;
  return { ...once, ...live, data, isLoading, isPending: false, isLive: true, retryAt, reload: reconnect };
}

function useOnce<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  isPaused: boolean,
): View<Data> {
  // After live data, what the cache has is too old.
  const wasPaused = useRef(isPaused);
  wasPaused.current ||= isPaused;
  const [{ data, error, extensions, fetching, stale, hasNext }, execute] = useQuery<Data, AnyVariables>({
    query,
    variables,
    pause: isPaused,
    requestPolicy: wasPaused.current ? 'cache-and-network' : 'cache-first',
  });
  const problems = useMemo(() => (error ? problemsFrom(error) : []), [error]);
  const report = useMemo(() => reportFrom(extensions), [extensions]);
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const isIdle = !isPaused && !fetching && !stale && !hasNext;
  return {
    data: data ?? undefined,
    isLoading: fetching && !data,
    isPending: hasNext,
    isReloading: !isPaused && (stale || (fetching && data !== undefined)),
    isLive: false,
    problems,
    report,
    retryAt: useAutomaticRetry(problems, isIdle, reload),
    requestId: error?.response?.headers.get('x-request-id') ?? undefined,
    reload,
  };
}

/** After that many failures the page offers a button instead. */
const MAX_RETRIES = 5;
/** If the gateway does not say how long to wait; doubled with each retry. */
const FIRST_WAIT_S = 2;

/** Retries a temporary failure after the longest wait that a problem asks for. Returns the time of the next retry. */
function useAutomaticRetry(problems: readonly Problem[], isIdle: boolean, retry: () => void) {
  const [retryAt, setRetryAt] = useState<number>();
  const retries = useRef(0);
  useEffect(() => {
    if (!isIdle) return;
    const temporary = problems.filter((problem) => problem.retry === 'automatic');
    if (temporary.length === 0) retries.current = 0;
    if (temporary.length === 0 || retries.current >= MAX_RETRIES) return;
    const least = FIRST_WAIT_S * 2 ** retries.current;
    const waitMs = Math.max(1, ...temporary.map(({ retryAfter = least }) => retryAfter)) * 1000;
    setRetryAt(Date.now() + waitMs);
    const timer = setTimeout(() => {
      retries.current += 1;
      retry();
    }, waitMs);
    return () => {
      clearTimeout(timer);
      setRetryAt(undefined);
    };
  }, [problems, isIdle, retry]);
  return retryAt;
}
