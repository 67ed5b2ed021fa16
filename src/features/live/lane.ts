import type { GraphQLError } from 'graphql';
import { shuttingDown } from '../../errors.ts';
import type { Lane, LaneRequest, Taker } from '../../http/lanes.ts';
import type { StreamType } from '../../operation/request.ts';
import { keyHashOf } from '../../upstream/caller.ts';
import type { LiveEvent } from './execution.ts';
import type { Live } from './live.ts';
import { LiveStream } from './stream.ts';

/** The lane of live queries, with which a request becomes a stream. */
export function createLiveLane(live: Pick<Live, 'typeOf' | 'find' | 'open'>): Lane {
  const takerOf = (type: StreamType): Taker => ({
    take(params, request) {
      const operation = live.find(params, request);
      if (!operation) return request.next();
      const stream = new LiveStream(
        request.res,
        type,
        streamHandlers(request, () => leave()),
      );
      if (request.res.isDraining) return stream.onRejected(shuttingDown());
      const { apiKey } = request;
      const leave = live.open(operation, { apiKey, keyHash: keyHashOf(apiKey) }, stream);
      const close = () => {
        stream.close();
        leave();
      };
      if (request.res.disconnected.aborted) close();
      else request.res.disconnected.addEventListener('abort', close);
    },
  });
  const takers: Record<StreamType, Taker> = {
    'text/event-stream': takerOf('text/event-stream'),
    'multipart/mixed': takerOf('multipart/mixed'),
  };
  return {
    accept(headers) {
      const type = live.typeOf(headers);
      return type && takers[type];
    },
  };
}

/** @param leave ends the stream, and returns the number of its polls */
function streamHandlers(request: LaneRequest, leave: () => number) {
  return {
    onFirst({ codes, hasData }: LiveEvent) {
      const { observer } = request;
      observer?.onResult(codes, hasData);
      // A stream may stay open for days, and its parameters be large.
      observer?.onStream(leave);
      request.release();
    },
    onRejected: (error: GraphQLError) => request.next(error),
  };
}
