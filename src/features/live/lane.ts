import type { Lane } from '../../http/lanes.ts';
import { streamTypeOf } from '../../operation/accept.ts';
import { keyHashOf } from '../../rest/caller.ts';
import { shuttingDown } from '../../schema/errors.ts';
import type { Live } from './live.ts';
import { LiveStream } from './stream.ts';

/** The lane of live queries, with which a request becomes a stream. */
export function createLiveLane(live: Live): Lane {
  return (request, params, next) => {
    const { req, res, apiKey } = request;
    const type = streamTypeOf(req.headers.accept);
    const operation = type && live.find(params, request);
    if (!operation) return next();
    if (res.draining.aborted) return next(shuttingDown());
    const stream = new LiveStream(request, next, type);
    const leave = live.open(operation, { apiKey, keyHash: keyHashOf(apiKey) }, stream);
    const close = () => {
      stream.close();
      leave();
    };
    if (res.disconnected.aborted) close();
    else res.disconnected.addEventListener('abort', close);
  };
}
