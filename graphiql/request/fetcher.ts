import {
  createGraphiQLFetcher,
  type Fetcher,
  type FetcherParams,
  isAsyncIterable,
  type Observable,
} from '@graphiql/toolkit';
import { type ExecutionResult, getIntrospectionQuery } from 'graphql';
import { isExplained } from '../cost/mode-switch.tsx';
import type { Quota } from '../cost/report/quota.ts';
import { startLive, startReport } from '../cost/report/report.ts';
import { takeExtension } from '../cost/report/take-extension.ts';
import type { Report } from '../cost/types.ts';
import { endpoint } from '../options.ts';
import { startOutcome } from '../outcome/outcome.ts';
import { askForKey, keyIn, keyProblem, noteCalls, noteRejection, withKey } from './api-key.ts';
import { fetchResponse } from './fetch-response.ts';
import { isLive, liveResults } from './live.ts';
import { observable } from './observable.ts';
import { operationNameIn } from './operation-name.ts';

/** All that the schema has, which GraphiQL does not request: the download is complete. */
const introspectionQuery = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
});

const nothingToRun = { note: 'There is nothing to run: the operation is empty.' };

/**
 * Sends an operation with the key, and with `x-explain: report` if the panel shows it: the report goes to
 * the panel, and the rest of the response to the editor. A live query has no report, but its quota.
 */
export const fetcher: Fetcher = async (params, options) => {
  const headers = withKey(options?.headers ?? {});
  if (params.operationName === 'IntrospectionQuery')
    return createSend()({ ...params, query: introspectionQuery }, { headers });
  const operationName = operationNameIn(params.query, params.operationName) ?? null;
  const sent = { ...params, operationName };
  if (params.query.replace(/#.*/g, '').trim() === '') return { extensions: nothingToRun };
  keyProblem.set(undefined);
  if (keyIn(headers) === undefined) {
    askForKey();
    return observable(({ complete }) => {
      // GraphiQL takes the end of the results only once it has subscribed.
      queueMicrotask(complete);
      return () => {};
    });
  }
  // With `x-explain` of the headers editor the response is no stream, and shows what was requested.
  const hasExplain = Object.keys(headers).some((name) => name.toLowerCase() === 'x-explain');
  if (!hasExplain && isLive(sent)) return sentLive(sent, headers);
  return sentResults(sent, headers, !hasExplain && isExplained.get() === 'on');
};

function sentLive(params: FetcherParams, headers: Record<string, string>) {
  const { addEvent, addHeartbeat } = startLive();
  const onRejection = (response: ExecutionResult) => noteRejection(keyIn(headers), response);
  const onEvent = (event: ExecutionResult) => {
    onRejection(event);
    let quota: Quota | undefined;
    const shown = takeExtension(event, 'quota', (value: Quota) => {
      quota = value;
    });
    addEvent(event, quota);
    return shown;
  };
  return liveResults(params, headers, { onEvent, onHeartbeat: addHeartbeat, onRejection });
}

/** Sends an operation and reads incremental responses. */
function sentResults(
  params: FetcherParams,
  headers: Record<string, string>,
  isReported: boolean,
): Observable<ExecutionResult> {
  const addToReport = startReport(isReported);
  const key = keyIn(headers);
  const sent = isReported ? { ...headers, 'x-explain': 'report' } : headers;
  /** Returns what the editor shows of a part. */
  const shown = (part: ExecutionResult) => {
    noteRejection(key, part);
    if (!isReported) return part;
    return takeExtension(part, 'upstream', (report: Report) => {
      addToReport(report);
      noteCalls(key, report.calls);
    });
  };
  return observable((sink) => {
    const ended = new AbortController();
    const { signal } = ended;
    const send = startOutcome();
    const read = async () => {
      const results = await createSend(signal, send)(params, { headers: sent });
      if (!isAsyncIterable(results)) return;
      for await (const chunk of results) {
        // Parts that arrive together come in one array, which the type does not say.
        for (const part of [chunk].flat() as ExecutionResult[]) {
          if (signal.aborted) return;
          sink.next(shown(part));
        }
      }
    };
    read().then(sink.complete, (error) => signal.aborted || sink.error(error));
    return () => ended.abort();
  });
}

function createSend(signal?: AbortSignal, send?: typeof fetch): Fetcher {
  return createGraphiQLFetcher({
    url: endpoint,
    fetch: (input, init) => fetchResponse(input, { ...init, ...(signal && { signal }) }, send),
  });
}
