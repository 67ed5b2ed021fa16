import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Signal } from '../abort.ts';
import { logOperation } from './log-lines.ts';
import type { Logger } from './logger.ts';
import type { Numbers } from './numbers.ts';
import type { Tracing } from './tracing.ts';
import { type Identity, Watch } from './watch.ts';

export interface ObserverOptions<Params> {
  logger: Logger;
  numbers: Numbers | null;
  tracing: Tracing | undefined;
  identify(params: Params): Identity | undefined;
  onFault(fault: unknown): void;
}

type Answer = ServerResponse & { readonly requestId: string; readonly departure: Signal };

/**
 * Watches requests, and says of each when it is over, which is when its answer is written to the last byte or its caller
 * is gone.
 */
export function createObserver<Params>(options: ObserverOptions<Params>) {
  const { logger, numbers, tracing, identify, onFault } = options;
  const logs = logger.isLevelEnabled('info');
  return (req: IncomingMessage, res: Answer): Watch<Params> => {
    const watch = new Watch<Params>(req, res, tracing?.begin(req));
    const tell = () => {
      try {
        const operation = watch.ended(identify);
        if (logs) logOperation(logger, operation);
        numbers?.count(operation);
        watch.trace?.end(operation);
      } catch (fault) {
        // Nobody is to lose an answer for what could not be said of another.
        onFault(fault);
      }
    };
    res.departure.addEventListener('abort', () => {
      if (res.writableFinished) tell();
      // The calls that are given up with it tell so only now.
      else setImmediate(tell);
    });
    return watch;
  };
}
