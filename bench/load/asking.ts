import type { Dispatcher } from 'undici';
import type { KeyedQuestion } from '../workloads/dialects.ts';

/** Sends one question and calls back once, with the answer or with what went wrong. */
export function ask(
  dispatcher: Dispatcher,
  { method, path, body, key }: KeyedQuestion,
  onEnd: (error: Error | undefined, status: number, body: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let status = 0;
  const headers = {
    'x-api-key': key,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  dispatcher.dispatch(
    { method, path, headers, ...(body !== undefined && { body }) },
    {
      onRequestStart() {},
      onResponseStart(_, statusCode) {
        status = statusCode;
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        onEnd(
          undefined,
          status,
          chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks),
        );
      },
      onResponseError(_, error) {
        onEnd(error, 0, Buffer.alloc(0));
      },
    },
  );
}
