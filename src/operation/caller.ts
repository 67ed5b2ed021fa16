import { Aborter, type Signal } from '../abort.ts';
import { type Caller, keyHashOf, startDeadline } from '../upstream/caller.ts';
import { UpstreamCancelled } from '../upstream/errors.ts';

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
    deadline.clear();
    signal.abort(() => new UpstreamCancelled());
  };
  if (disconnected.aborted) cancel();
  else disconnected.addEventListener('abort', cancel);
  return { apiKey, keyHash: keyHashOf(apiKey, connection), signal, request };
}
