import { useCallback, useEffect, useState } from 'react';
import { createRequest, type TypedDocumentNode } from 'urql';
import { type Problem, problemsFrom } from '../problems.ts';
import { addToReport, emptyReport, type Report } from '../report.ts';
import { rejectLive, updateLive } from './live-store.ts';
import { type LivePlan, lastCurrentAt, openLive, readPlan } from './live-stream.ts';

/** What came last. */
interface LiveResult<Data> {
  /** Those that it was read with. */
  variables: unknown;
  data: Data | undefined;
  problems: Problem[];
  report: Report;
  retryAt: number | undefined;
}

export interface Live<Data> {
  /** Undefined until something has come. */
  result: LiveResult<Data> | undefined;
  isLost: boolean;
  /** Undefined until the gateway has said it. */
  plan: LivePlan | undefined;
  /** Connects again at once. */
  reconnect(): void;
}

/** A document of a live query. */
export type LiveDocument<Data, Variables> = TypedDocumentNode<{ live: Data }, Variables>;

/** Reads a live query as long as `isOn`. */
export function useLive<Data, Variables extends object>(
  document: LiveDocument<Data, Variables>,
  variables: Variables,
  isOn: boolean,
): Live<Data> {
  const [result, setResult] = useState<LiveResult<Data>>();
  const [isLost, setLost] = useState(false);
  const [plan, setPlan] = useState<LivePlan>();
  const [attempt, setAttempt] = useState(0);
  const request = createRequest(document, variables);

  // The key stands for the document and its variables.
  useEffect(() => {
    if (!isOn) return;
    let isPlanned = false;
    let isOver = false;
    async function showPlan() {
      if (isPlanned) return;
      isPlanned = true;
      const next = await readPlan(document, request.variables).catch(() => undefined);
      if (!isOver) setPlan(next);
    }
    updateLive({
      connection: 'connecting',
      since: undefined,
      checkedAt: undefined,
      uncheckedSince: undefined,
      isStale: false,
    });
    const close = openLive(document, request.variables, {
      onEvent({ data, errors = [], extensions = {} }) {
        setLost(false);
        const report = addToReport(emptyReport, { extensions });
        setResult((last) => ({
          variables: request.variables,
          data: data?.live,
          problems: problemsFrom({ graphQLErrors: errors.map(belowLive) }),
          // An event without a quota leaves the last one.
          report: { ...(last?.report.quota && { quota: last.report.quota }), ...report },
          retryAt: undefined,
        }));
        updateLive({
          connection: 'open',
          since: Date.now(),
          checkedAt: undefined,
          uncheckedSince: undefined,
          isStale: report.staleSince !== undefined,
        });
        void showPlan();
      },
      onLost() {
        setLost(true);
        updateLive({ connection: 'lost', since: lastCurrentAt() });
      },
      onRejected(problems, retryAt) {
        if (problems.some(({ code }) => code === 'GRAPHQL_VALIDATION_FAILED')) return rejectLive();
        const rejection = {
          variables: request.variables,
          data: undefined,
          problems,
          report: emptyReport,
          retryAt,
        };
        // What was read stays while the gateway or the REST API is too busy.
        setResult((last) => (retryAt !== undefined && last?.data ? last : rejection));
        if (retryAt !== undefined) return updateLive({ connection: 'lost', since: lastCurrentAt() });
        setPlan(undefined);
        updateLive({ connection: 'ended' });
      },
      onComplete() {
        setPlan(undefined);
        updateLive({ connection: 'ended' });
      },
    });
    return () => {
      isOver = true;
      close();
      setPlan(undefined);
      setResult(undefined);
      setLost(false);
      updateLive({ connection: 'none', since: undefined });
    };
  }, [request.key, isOn, attempt]);

  const reconnect = useCallback(() => setAttempt((count) => count + 1), []);
  return { result, isLost, plan, reconnect };
}

/** An error by the path that it has in a query. */
function belowLive<E extends { path?: readonly (string | number)[] | undefined }>(error: E): E {
  return { ...error, path: error.path?.slice(1) };
}
