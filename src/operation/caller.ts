import type { IncomingHttpHeaders } from 'node:http';
import type { CoreConfig } from '../config/core.ts';
import type { GatewayResponse } from '../http/response.ts';
import { Aborter, type Signal } from '../rest/abort.ts';
import { type Caller, keyHashOf } from '../rest/caller.ts';
import type { UpstreamClient } from '../rest/client.ts';
import { UpstreamCancelled } from '../rest/errors.ts';
import { startDeadline } from '../rest/guards/deadline.ts';
import { OperationCalls } from '../schema/loaders.ts';
import type { RequestObserver } from './types.ts';

interface CallsOptions extends Pick<CoreConfig, 'operationTimeoutMs' | 'maxUpstreamCalls'> {
  client: UpstreamClient;
  /** How many REST calls a request with these header fields allows, if that is fewer than `maxUpstreamCalls`. */
  maxCallsOf?: ((headers: IncomingHttpHeaders) => number | undefined) | undefined;
}

/** Creates what makes the REST calls of the operation of a request, with its key. */
export function createCallsOf({ client, operationTimeoutMs, maxUpstreamCalls, maxCallsOf }: CallsOptions) {
  return (apiKey: string, res: GatewayResponse, observer: RequestObserver | undefined): OperationCalls => {
    const caller = createCaller(apiKey, res.disconnected, operationTimeoutMs, res, res.req.socket);
    const maxCalls = maxCallsOf?.(res.req.headers) ?? Infinity;
    const calls = new OperationCalls(client, caller, Math.min(maxCalls, maxUpstreamCalls));
    res.calls = calls;
    observer?.onCalls(caller.keyHash, calls);
    return calls;
  };
}

/**
 * The caller of one operation. Its signal aborts when `disconnected` does, or after `timeoutMs`.
 * `disconnected` has to abort in the end either way: until then the deadline is pending. The digest of a key
 * is computed once for a `connection`.
 */
export function createCaller(
  apiKey: string,
  disconnected: Signal,
  timeoutMs: number,
  request?: Caller['request'],
  connection?: object,
): Caller {
  const signal = new Aborter();
  const deadline = startDeadline(timeoutMs, signal);
  const cancel = () => {
    clearTimeout(deadline);
    signal.abort(() => new UpstreamCancelled());
  };
  if (disconnected.aborted) cancel();
  else disconnected.addEventListener('abort', cancel);
  return { apiKey, keyHash: keyHashOf(apiKey, connection), signal, request };
}
