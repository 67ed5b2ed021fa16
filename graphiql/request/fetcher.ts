import { createGraphiQLFetcher, type Fetcher, type FetcherParams, isAsyncIterable } from '@graphiql/toolkit';
import { endpoint } from '../options.ts';
import { apiKey, keyProblem, withKey } from './api-key.ts';
import { fetchResponse } from './fetch-response.ts';
import { operationNameIn } from './operation-name.ts';
import { isRefusal, type OperationResponse } from './refusal.ts';

/** As any client that reads incremental responses. */
const send = createGraphiQLFetcher({ url: endpoint, fetch: fetchResponse });

/** Sends an operation with the key. */
export const fetcher: Fetcher = async (params, options) => {
  const headers = withKey(options?.headers ?? {});
  if (isIntrospection(params)) return send(params, { ...options, headers });
  const operationName = operationNameIn(params.query, params.operationName) ?? null;
  const sent = { ...params, operationName };
  keyProblem.set(undefined);
  const result = await send(sent, { ...options, headers });
  return isAsyncIterable(result) ? mapParts(result) : result;
};

async function* mapParts<T extends OperationResponse>(results: AsyncIterable<T>) {
  for await (const chunk of results) {
    // Parts that arrive together come in one array, which the type does not say.
    for (const part of [chunk].flat() as T[]) {
      noteRefusal(part);
      yield part;
    }
  }
}

function noteRefusal(response: OperationResponse): void {
  if (isRefusal(response)) keyProblem.set(apiKey.get() === '' ? 'missing' : 'refused');
}

function isIntrospection({ operationName }: FetcherParams): boolean {
  return operationName === 'IntrospectionQuery';
}
