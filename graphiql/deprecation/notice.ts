import { createStore } from '../store.ts';
import type { Deprecation } from './deprecation.ts';

/** What the latest response that says so says. It stays: a later operation may make no REST call. */
export const deprecation = createStore<Deprecation | undefined>(undefined);

/** Shows the deprecation in a response, if it has one. */
export function noteDeprecation(next: Deprecation | undefined): void {
  if (next) deprecation.set(next);
}
