import {
  createGraphiQLFetcher,
  type Fetcher,
  type FetcherParams,
  isAsyncIterable,
  type Observable,
} from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';
import { explainMode } from '../cost/mode.ts';
import { startLive, startReport } from '../cost/report/report.ts';
import { takeReport } from '../cost/report/take-report.ts';
import { endpoint } from '../options.ts';
import { apiKey, keyProblem, withKey } from './api-key.ts';
import { fetchResponse } from './fetch-response.ts';
import { isLive, liveResults } from './live.ts';
import { observable } from './observable.ts';
import { operationNameIn } from './operation-name.ts';
import { isRejection, type OperationResponse } from './rejection.ts';

/**
 * Sends an operation with the key, and with `x-explain: report` where the panel shows it: the report goes to
 * the panel, and the rest of the response to the editor. A live query has no report.
 */
export const fetcher: Fetcher = async (params, options) => {
  const headers = withKey(options?.headers ?? {});
  if (isIntrospection(params)) return createSend()(params, { headers });
  const operationName = operationNameIn(params.query, params.operationName) ?? null;
  const sent = { ...params, operationName };
  keyProblem.set(undefined);
  // With `x-explain` of the headers editor the response is no stream, and shows what was requested.
  const isExplained = Object.keys(headers).some((name) => name.toLowerCase() === 'x-explain');
  if (!isExplained && isLive(sent)) {
    return liveResults(sent, headers, { onEvent: startLive(), onResult: noteRejection });
  }
  const isReported = !isExplained && explainMode.get() === 'report';
  if (isReported) headers['x-explain'] = 'report';
  const addToReport = startReport(isReported);
  return sentResults(sent, headers, (part) => {
    noteRejection(part);
    return isReported ? takeReport(part, addToReport) : part;
  });
};

/** Sends an operation and reads incremental responses. `onPart` returns what the editor shows of a part. */
function sentResults(
  params: FetcherParams,
  headers: Record<string, string>,
  onPart: (part: ExecutionResult) => ExecutionResult,
): Observable<ExecutionResult> {
  return observable((sink) => {
    const ended = new AbortController();
    const { signal } = ended;
    const read = async () => {
      const results = await createSend(signal)(params, { headers });
      if (!isAsyncIterable(results)) return;
      for await (const chunk of results) {
        // Parts that arrive together come in one array, which the type does not say.
        for (const part of [chunk].flat() as ExecutionResult[]) {
          if (signal.aborted) return;
          sink.next(onPart(part));
        }
      }
    };
    read().then(sink.complete, (error) => signal.aborted || sink.error(error));
    return () => ended.abort();
  });
}

function createSend(signal?: AbortSignal): Fetcher {
  return createGraphiQLFetcher({
    url: endpoint,
    fetch: (input, init) => fetchResponse(input, { ...init, ...(signal && { signal }) }),
  });
}

function noteRejection(response: OperationResponse): void {
  if (isRejection(response)) keyProblem.set(apiKey.get() === '' ? 'missing' : 'refused');
}

function isIntrospection({ operationName }: FetcherParams): boolean {
  return operationName === 'IntrospectionQuery';
}
