import { useCallback, useEffect, useState } from 'react';
import { createRequest, type TypedDocumentNode } from 'urql';
import { type Problem, problemsFrom } from '../problems.ts';
import { type Report, reportFrom } from '../report.ts';
import { closeLive, noteHeartbeat, switchLive, updateLive } from './live-store.ts';
import { openLive } from './live-stream.ts';

/** The latest event. */
interface Live<Data> {
  data: Data | undefined;
  problems: Problem[];
  report: Report;
}

/** A document of a live query. */
export type LiveDocument<Data, Variables> = TypedDocumentNode<{ live: Data }, Variables>;

/** Reads a live query as long as `isOn`. `live` is undefined until something has come; `reconnect` connects again at once. */
export function useLive<Data, Variables extends object>(
  document: LiveDocument<Data, Variables>,
  variables: Variables,
  isOn: boolean,
): { live: Live<Data> | undefined; reconnect(): void } {
  const [live, setLive] = useState<Live<Data>>();
  const [attempt, setAttempt] = useState(0);
  const request = createRequest(document, variables);

  // The key stands for the document and its variables.
  useEffect(() => {
    if (!isOn) return;
    updateLive({ connection: 'connecting' });
    const close = openLive(document, request.variables, {
      onEvent({ data, errors = [], extensions }) {
        const report = reportFrom(extensions);
        const problems = problemsFrom({ graphQLErrors: errors.map(belowLive) });
        setLive((last) => ({
          data: data?.live,
          problems,
          // An event without a quota leaves the last one.
          report: { ...report, quota: report.quota ?? last?.report.quota },
        }));
        // Objects, and lists of them, beside the type name.
        const parts = Object.values(data?.live ?? {}).flat();
        const isRead = parts.some((part) => typeof part === 'object' && part);
        updateLive({
          connection: 'open',
          checkedAt: isRead || problems.length === 0 ? (report.staleSince ?? Date.now()) : undefined,
          isLate: report.staleSince !== undefined,
          retryAt: undefined,
        });
      },
      onHeartbeat: noteHeartbeat,
      onLost(problems, retryAt) {
        // The data stays.
        setLive((last) => (last?.data ? last : { data: undefined, problems, report: reportFrom() }));
        updateLive({ connection: 'lost', retryAt });
      },
      onEnd(problems) {
        if (problems.some(({ code }) => code === 'GRAPHQL_VALIDATION_FAILED')) return switchLive(false, true);
        if (problems.length > 0) setLive({ data: undefined, problems, report: reportFrom() });
        updateLive({ connection: 'ended' });
      },
    });
    return () => {
      close();
      setLive(undefined);
      closeLive();
    };
  }, [request.key, isOn, attempt]);

  const reconnect = useCallback(() => setAttempt((count) => count + 1), []);
  return { live, reconnect };
}

/** An error by the path that it has in a query. */
function belowLive<E extends { path?: readonly (string | number)[] | undefined }>(error: E): E {
  return { ...error, path: error.path?.slice(1) };
}
