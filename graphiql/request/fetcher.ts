import { createGraphiQLFetcher, type Fetcher, type FetcherParams, isAsyncIterable } from '@graphiql/toolkit';
import { explainMode } from '../cost/mode.ts';
import { startReport } from '../cost/report/report.ts';
import { takeReport } from '../cost/report/take-report.ts';
import type { Report } from '../cost/types.ts';
import { endpoint } from '../options.ts';
import { apiKey, keyProblem, withKey } from './api-key.ts';
import { fetchResponse } from './fetch-response.ts';
import { isLive, liveResults } from './live.ts';
import { operationNameIn } from './operation-name.ts';
import { isRefusal, type OperationResponse } from './refusal.ts';

/** As any client that reads incremental responses. */
const send = createGraphiQLFetcher({ url: endpoint, fetch: fetchResponse });

/**
 * Sends an operation with the key, and with `x-explain: report` where the panel shows it: the report goes to the panel, and
 * the rest of the response to the editor.
 */
export const fetcher: Fetcher = async (params, options) => {
  const headers = withKey(options?.headers ?? {});
  if (isIntrospection(params)) return send(params, { ...options, headers });
  const operationName = operationNameIn(params.query, params.operationName) ?? null;
  const sent = { ...params, operationName };
  if (isLive(sent)) return fetchLive(sent, headers);
  const isReported = explainMode.get() === 'report' && !hasExplain(headers);
  if (isReported) headers['x-explain'] = 'report';
  keyProblem.set(undefined);
  const addToReport = startReport(isReported);
  const result = await send(sent, { ...options, headers });
  return isAsyncIterable(result) ? mapParts(result, isReported ? addToReport : undefined) : result;
};

/** A live query has no report. With `x-explain` of the headers editor its response is no stream. */
function fetchLive(params: FetcherParams, headers: Record<string, string>): ReturnType<Fetcher> {
  keyProblem.set(undefined);
  startReport(false);
  return hasExplain(headers) ? send(params, { headers }) : liveResults(params, headers, noteRefusal);
}

async function* mapParts<T extends OperationResponse>(
  results: AsyncIterable<T>,
  onReport: ((report: Report) => void) | undefined,
) {
  for await (const chunk of results) {
    // Parts that arrive together come in one array, which the type does not say.
    for (const part of [chunk].flat() as T[]) {
      noteRefusal(part);
      yield onReport ? takeReport(part, onReport) : part;
    }
  }
}

function noteRefusal(response: OperationResponse): void {
  if (isRefusal(response)) keyProblem.set(apiKey.get() === '' ? 'missing' : 'refused');
}

function isIntrospection({ operationName }: FetcherParams): boolean {
  return operationName === 'IntrospectionQuery';
}

function hasExplain(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'x-explain');
}
