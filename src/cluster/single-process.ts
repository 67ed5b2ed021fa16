import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Serving } from '../gateway.ts';
import type { Disposable } from './disposables.ts';
import { shutdown } from './shutdown.ts';
import { onSignals } from './signals.ts';

/**
 * Shuts a gateway without a supervisor down on a signal: fails `/readyz`, waits for `DRAIN_DELAY_MS`, drains.
 * @param disposables what the gateway needs until it is drained
 */
export function shutDownOnSignal(
  gateway: Serving,
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
