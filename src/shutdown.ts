import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from './config.ts';

/** Time limits for closing what holds no request: in the gateway, and in the rest, which may have traces to send. */
const gatewayCloseMs = 1000;
const restCloseMs = 2500;

export interface Disposable {
  close(): Promise<void>;
}

export interface Disposables extends Disposable {
  /** Adds something to close with the others, and returns it. */
  add<T extends Disposable | undefined>(disposable: T): T;
}

/** What is open in this process. `close` closes the last added first. */
export function createDisposables(): Disposables {
  const open: Disposable[] = [];
  return {
    add(disposable) {
      if (disposable) open.unshift(disposable);
      return disposable;
    },
    async close() {
      for (const disposable of open.splice(0)) await disposable.close();
    },
  };
}

/** The part of a gateway that a shutdown uses. */
interface Drainable {
  retire(): void;
  drain(timeoutMs: number): Promise<number>;
}

/**
 * Shuts a gateway down on the first SIGTERM or SIGINT: fails `/readyz`, waits for `DRAIN_DELAY_MS`, drains the gateway, closes
 * `disposables`, which it needs until then, and exits: with 0, or with 1 where requests were aborted or something did not
 * close in time. A second signal exits at once.
 */
export function shutDownOnSignal(
  gateway: Drainable,
  disposables: Disposable,
  { delayMs, timeoutMs }: Config['drain'],
  log: (line: string) => void,
): void {
  let isStopping = false;
  const onStop = async () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    gateway.retire();
    if (delayMs > 0) await delay(delayMs);
    const aborted = await withTimeout(gateway.drain(timeoutMs), timeoutMs + gatewayCloseMs);
    if (aborted)
      log(`drain: aborted ${aborted} requests that did not end within DRAIN_TIMEOUT_MS=${timeoutMs}`);
    const isClosed = (await withTimeout(disposables.close(), restCloseMs)) !== timedOut;
    process.exit(aborted === 0 && isClosed ? 0 : 1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onStop);
  // Without a handler it would end the process without a drain.
  process.on('SIGHUP', () => log('SIGHUP ignored: restart the process to change its settings'));
}

const timedOut = null;

/** The value of a promise; null where it does not settle in time, or rejects. */
function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | typeof timedOut> {
  return Promise.race([promise.catch(() => timedOut), delay(timeoutMs, timedOut, { ref: false })]);
}
