import type { Observable } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';

export interface Sink {
  next(result: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}

/** Results that GraphiQL can end at once with what `start` returns. Of an async iterator it would wait for the next one. */
export function observable(start: (sink: Sink) => () => void): Observable<ExecutionResult> {
  const subscribe = (sink: Sink) => ({ unsubscribe: start(sink) });
  // The type has another form of the call, which GraphiQL does not use.
  return { subscribe } as Observable<ExecutionResult>;
}
