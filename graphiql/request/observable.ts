import type { Observable } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';

export interface Sink {
  next(result: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}

/** The function that `start` returns ends the results at once. GraphiQL ends an async iterator after its next result. */
export function observable(start: (sink: Sink) => () => void): Observable<ExecutionResult> {
  const subscribe = (sink: Sink) => ({ unsubscribe: start(sink) });
  // The type has another form of the call, which GraphiQL does not use.
  return { subscribe } as Observable<ExecutionResult>;
}
