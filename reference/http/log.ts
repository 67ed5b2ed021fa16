import { type LogLevel, logLevels } from '../config.ts';
import type { ReferenceOptions } from '../server.ts';
import type { ObservedRequest } from './api.ts';
import { pathFromTarget, relationsFromTarget } from './targets.ts';

const PATH_MAX_LENGTH = 500;

/** Writes requests to standard output, and faults to standard error. */
export function createLog(level: LogLevel): Pick<ReferenceOptions, 'onRequest' | 'onFault'> {
  const isLogged = (least: LogLevel) => logLevels.indexOf(level) <= logLevels.indexOf(least);
  return {
    ...(isLogged('info') && { onRequest: (request) => console.log(lineFromRequest(request)) }),
    ...(isLogged('error') && { onFault: console.error }),
  };
}

/**
 * `GET /v1/site/SITE-1001?include=clients 200 acme demo-acm 1.3 ms`. Of a query, which may hold a misplaced
 * key, the line has the relations that the API understood, and nothing else.
 */
function lineFromRequest(request: ObservedRequest): string {
  const { method, path: target, status, partnerId, keyName, durationMs } = request;
  // Printable: Node rejects a target with other characters.
  const path = pathFromTarget(target).slice(0, PATH_MAX_LENGTH);
  const relations = [...relationsFromTarget(target)].join();
  const query = relations === '' ? '' : `?include=${relations}`;
  return `${method} ${path}${query} ${status ?? 'cut'} ${partnerId ?? '-'} ${keyName ?? '-'} ${durationMs.toFixed(1)} ms`;
}
