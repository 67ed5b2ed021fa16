import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Serving } from '../gateway.ts';
import { leave } from './leave.ts';
import type { Closing } from './opened.ts';
import { onSignals } from './signals.ts';

/**
 * Leaves on a signal, from a gateway that is all that this process is: says so at `/readyz`, goes on for a while, drains.
 * @param opened what is in this process and has to outlast the gateway
 */
export function leaveOnSignal(
  gateway: Serving,
  opened: Closing,
  { drain }: Config['lifecycle'],
  log: (line: string) => void,
): void {
  onSignals({
    async stop() {
      gateway.retire();
      if (drain.delayMs > 0) await delay(drain.delayMs);
      await leave(gateway, opened, drain.timeoutMs, log);
    },
    abort: () => process.exit(1),
    reload: () => log('SIGHUP ignored: a reload needs WORKERS=2 or more'),
  });
}
