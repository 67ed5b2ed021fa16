import type { IncomingHttpHeaders } from 'node:http';
import type { PipelineCore } from '../../composition.ts';
import { shuttingDown } from '../../errors.ts';
import type { Lane, Take } from '../../http/lanes.ts';
import { type StreamType, streamTypeOf } from '../../operation/accept.ts';
import { keyHashOf } from '../../upstream/caller.ts';
import type { Live } from './live.ts';
import { LiveStream } from './stream.ts';

/** The lane of live queries, with which a request becomes a stream. */
export function createLiveLane(live: Live, { phases, maxUpstreamCalls }: PipelineCore): Lane {
  const takerOf =
    (type: StreamType): Take =>
    (params, request, calls) => {
      const { res, apiKey } = request;
      const operation = live.find(params, request);
      // Its polls are those of other streams, which a limit of its own would not fit.
      if (!operation || calls.budget.limit < maxUpstreamCalls) return request.next();
      if (res.isDraining) return request.next(shuttingDown());
      const stream = new LiveStream(request, type, () => leave());
      const leave = live.open(operation, { apiKey, keyHash: keyHashOf(apiKey) }, stream);
      const close = () => {
        stream.close();
        leave();
      };
      if (res.disconnected.aborted) close();
      else res.disconnected.addEventListener('abort', close);
    };
  const takers: Record<StreamType, Take> = {
    'text/event-stream': takerOf('text/event-stream'),
    'multipart/mixed': takerOf('multipart/mixed'),
  };
  /** Whether no phase changes a request with these header fields, or adds to its response. */
  const isPlain = (headers: IncomingHttpHeaders) =>
    phases().every((phase) => phase.passesHeaders?.(headers) !== false && !phase.extensionsFor?.(headers));
  return {
    accept(headers) {
      const type = streamTypeOf(headers.accept);
      return type && isPlain(headers) ? takers[type] : undefined;
    },
  };
}
