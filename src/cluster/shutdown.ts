import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Disposable } from './disposables.ts';

/** Time limits for closing what holds no request: in the gateway, and in the rest, which may have traces to send. */
const gatewayCloseMs = 1000;
const restCloseMs = 2500;

/** The part of a gateway that a shutdown uses. */
interface Drainable {
  retire(): void;
  drain(timeoutMs: number): Promise<number>;
}

/**
 * Drains a gateway, closes `disposables`, which it needs until then, and exits: with 0, or with 1 where requests were
 * aborted or something did not close in time.
 */
export async function shutdown(
  gateway: Drainable,
  disposables: Disposable,
  timeoutMs: number,
  log: (line: string) => void,
): Promise<never> {
  const aborted = await withTimeout(gateway.drain(timeoutMs), timeoutMs + gatewayCloseMs);
  if (aborted)
    log(`drain: aborted ${aborted} requests that did not end within DRAIN_TIMEOUT_MS=${timeoutMs}`);
  const isClosed = (await withTimeout(disposables.close(), restCloseMs)) !== timedOut;
  process.exit(aborted === 0 && isClosed ? 0 : 1);
}

const timedOut = null;

/** The value of a promise; null where it does not settle in time, or rejects. */
function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | typeof timedOut> {
  return Promise.race([promise.catch(() => timedOut), delay(timeoutMs, timedOut, { ref: false })]);
}

/**
 * Shuts a gateway without a supervisor down on a signal: fails `/readyz`, waits for `DRAIN_DELAY_MS`, drains.
 * @param disposables what the gateway needs until it is drained
 */
export function shutDownOnSignal(
  gateway: Drainable,
  disposables: Disposable,
  { drain }: Config['lifecycle'],
  log: (line: string) => void,
): void {
  onSignals({
    async stop() {
      gateway.retire();
      if (drain.delayMs > 0) await delay(drain.delayMs);
      await shutdown(gateway, disposables, drain.timeoutMs, log);
    },
    abort: () => process.exit(1),
    reload: () => log('SIGHUP ignored: a reload needs WORKERS=2 or more'),
  });
}

export interface SignalHandlers {
  /** Shuts down gracefully: on the first SIGTERM or SIGINT. */
  stop(): Promise<void>;
  /** Exits at once: on the second. */
  abort(): void;
  /** On each SIGHUP. */
  reload(): void;
}

/** Handles SIGTERM, SIGINT and SIGHUP. Without a handler each of them ends the process. */
export function onSignals({ stop, abort, reload }: SignalHandlers): void {
  let isStopping = false;
  const onStop = () => {
    if (isStopping) return abort();
    isStopping = true;
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onStop);
  process.on('SIGHUP', reload);
}
