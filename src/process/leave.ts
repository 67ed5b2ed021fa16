import { setTimeout as delay } from 'node:timers/promises';
import type { Closing } from './opened.ts';

/** How long what holds no request may take to close: of the gateway, and of the rest, which may have traces to send. */
const tidyMs = 1000;
const restMs = 2500;

/** As much of a gateway that serves as it takes to stop it. */
export interface Leaving {
  retire(): void;
  drain(timeoutMs: number): Promise<number>;
}

/**
 * Drains a gateway in its time, closes what it needed, then ends this process: with 0, or with 1 where calls were cut or
 * it did not come to an end.
 * @param opened what has to outlast the gateway
 */
export async function leave(
  gateway: Leaving,
  opened: Closing,
  timeoutMs: number,
  log: (line: string) => void,
): Promise<never> {
  const overdue = await inTime(gateway.drain(timeoutMs), timeoutMs + tidyMs);
  if (overdue)
    log(`drain: aborted ${overdue} requests that did not end within DRAIN_TIMEOUT_MS=${timeoutMs}`);
  const isTidy = (await inTime(opened.close(), restMs)) !== late;
  process.exit(overdue === 0 && isTidy ? 0 : 1);
}

const late = null;

/** What a promise brings; null where it takes too long, or fails. */
function inTime<T>(promise: Promise<T>, patienceMs: number): Promise<T | typeof late> {
  return Promise.race([promise.catch(() => late), delay(patienceMs, late, { ref: false })]);
}
