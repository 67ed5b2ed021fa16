import {
  createGraphiQLFetcher,
  type Fetcher,
  type FetcherParams,
  isAsyncIterable,
  type Observable,
} from '@graphiql/toolkit';
import { type ExecutionResult, getIntrospectionQuery } from 'graphql';
import { startAccess } from '../cost/access/key-access.ts';
import { explainMode } from '../cost/mode.ts';
import { certainCalls } from '../cost/plan/plan.ts';
import type { Quota } from '../cost/quota/quota.ts';
import { startLive, startReport } from '../cost/report/report.ts';
import { takeExtension } from '../cost/report/take-extension.ts';
import type { Report } from '../cost/types.ts';
import { noteDeprecation } from '../deprecation/notice.ts';
import { endpoint } from '../options.ts';
import { startOutcome } from '../outcome/outcome.ts';
import { apiKey, keyIn, keyProblem, withKey } from './api-key.ts';
import { fetchResponse } from './fetch-response.ts';
import { isLive, liveResults } from './live.ts';
import { observable } from './observable.ts';
import { operationNameIn } from './operation-name.ts';
import { isRejection, type OperationResponse } from './rejection.ts';

/** All that the schema has, which GraphiQL does not request: the download is complete. */
const introspectionQuery = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
});

/**
 * Sends an operation with the key, and with `x-explain: report` where the panel shows it: the report goes to
 * the panel, and the rest of the response to the editor. A live query has no report, but its quota.
 */
export const fetcher: Fetcher = async (params, options) => {
  const headers = withKey(options?.headers ?? {});
  if (isIntrospection(params)) return createSend()({ ...params, query: introspectionQuery }, { headers });
  const operationName = operationNameIn(params.query, params.operationName) ?? null;
  const sent = { ...params, operationName };
  keyProblem.set(undefined);
  // With `x-explain` of the headers editor the response is no stream, and shows what was requested.
  const isExplained = Object.keys(headers).some((name) => name.toLowerCase() === 'x-explain');
  if (!isExplained && isLive(sent)) return sentLive(sent, headers);
  return !isExplained && explainMode.get() === 'report'
    ? sentWithReport(sent, headers)
    : sentWithoutReport(sent, headers);
};

function sentWithReport(params: FetcherParams, headers: Record<string, string>) {
  const addToReport = startReport(true);
  const addCalls = startAccess(keyIn(headers));
  return sentResults(params, { ...headers, 'x-explain': 'report' }, (part) => {
    noteRejection(part, headers);
    return takeExtension(part, 'upstream', (report: Report) => {
      addToReport(report);
      addCalls(report.calls);
      noteDeprecation(report.deprecation);
    });
  });
}

function sentWithoutReport(params: FetcherParams, headers: Record<string, string>) {
  startReport(false);
  const noteRejection = createNoteRejection(headers);
  return sentResults(params, headers, (part) => {
    noteRejection(part);
    return part;
  });
}

function sentLive(params: FetcherParams, headers: Record<string, string>) {
  const { addEvent, addHeartbeat } = startLive();
  const noteRejection = createNoteRejection(headers);
  const onEvent = (event: ExecutionResult) => {
    noteRejection(event);
    let quota: Quota | undefined;
    const shown = takeExtension(event, 'quota', (value: Quota) => {
      quota = value;
    });
    addEvent(event, quota);
    return shown;
  };
  return liveResults(params, headers, { onEvent, onHeartbeat: addHeartbeat, onRejection: noteRejection });
}

/** Without a report, a rejection is one of every call that the plan names. */
function createNoteRejection(headers: Record<string, string>): (response: OperationResponse) => void {
  const planned = certainCalls();
  const addCalls = startAccess(keyIn(headers));
  return (response) => {
    if (noteRejection(response, headers)) addCalls(planned.map(({ path }) => ({ path, status: 403 })));
  };
}

/** Sends an operation and reads incremental responses. `onPart` returns what the editor shows of a part. */
function sentResults(
  params: FetcherParams,
  headers: Record<string, string>,
  onPart: (part: ExecutionResult) => ExecutionResult,
): Observable<ExecutionResult> {
  return observable((sink) => {
    const ended = new AbortController();
    const { signal } = ended;
    const send = startOutcome();
    const read = async () => {
      const results = await createSend(signal, send)(params, { headers });
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

function createSend(signal?: AbortSignal, send?: typeof fetch): Fetcher {
  return createGraphiQLFetcher({
    url: endpoint,
    fetch: (input, init) => fetchResponse(input, { ...init, ...(signal && { signal }) }, send),
  });
}

/**
 * Marks the key of the field where it is the reason of a rejection; returns whether a key is. The headers may have had
 * another one, and the field may have another one since.
 */
function noteRejection(response: OperationResponse, headers: Record<string, string>): boolean {
  const isRejected = isRejection(response);
  if (isRejected && keyIn(headers) === keyIn(withKey({})))
    keyProblem.set(apiKey.get() === '' ? 'missing' : 'rejected');
  return isRejected;
}

function isIntrospection({ operationName }: FetcherParams): boolean {
  return operationName === 'IntrospectionQuery';
}
