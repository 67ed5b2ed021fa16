import { setTimeout as delay } from 'node:timers/promises';

/** How long what holds no request may take to close. */
const tidyMs = 1000;

/** As much of a gateway that serves as it takes to stop it. */
export interface Leaving {
  retire(): void;
  drain(timeoutMs: number): Promise<number>;
}

/**
 * Drains a gateway in its time, then ends this process: with 0, or with 1 where calls were cut.
 * @param rest closes what the gateway's calls needed
 */
export async function leave(
  gateway: Leaving,
  timeoutMs: number,
  log: (line: string) => void,
  rest?: () => Promise<void>,
): Promise<never> {
  const end = new AbortController();
  const tidy = delay(timeoutMs + tidyMs, 1, { signal: end.signal, ref: false }).catch(() => 1);
  const peace = gateway.drain(timeoutMs).then(async (overdue) => {
    if (overdue > 0) {
      log(`drain: ${overdue} calls were overdue and are cut: DRAIN_TIMEOUT_MS is ${timeoutMs}`);
      return 1;
    }
    await rest?.();
    return 0;
  });
  process.exit(await Promise.race([peace, tidy]));
}
