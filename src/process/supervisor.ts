import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import { closePort, openPort } from '../port.ts';
import { type Crew, createCrew } from './crew.ts';
import { startMember } from './member.ts';
import type { Closing } from './opened.ts';
import { onSignals } from './signals.ts';
import { createSwitchboard } from './switchboard.ts';

/** How often at most it is logged that connections are closed. */
const dropLogMs = 60_000;

export interface SupervisorOptions {
  config: Config;
  /** Reads the configuration again, as each new worker will. */
  readAnew(): Promise<{ config: Config; faults?: never } | { config?: never; faults: string[] }>;
  /** What is in this process and has to outlast the workers. */
  opened: Closing;
  upstreamUrl: URL | null;
  log: (line: string) => void;
}

/** The workers, once all of them have served. */
export interface Supervisor extends Pick<Crew, 'readMetrics' | 'liveness' | 'readiness'> {
  url: string;
}

/**
 * Opens the port, starts the workers of the configuration and hands each connection to one of them; sees that there
 * are always as many. Resolves when all of them serve.
 * @throws an Error where the port cannot be had or a worker cannot start; there are no workers then
 */
export async function startSupervisor({
  config,
  readAnew,
  opened,
  upstreamUrl,
  log,
}: SupervisorOptions): Promise<Supervisor> {
  let { drain } = config.lifecycle;
  const switchboard = createSwitchboard();
  const server = createServer({ pauseOnConnect: true, noDelay: true }, switchboard.pass);
  server.maxConnections = config.edge.maxConnections;
  let droppedMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    const nowMs = performance.now();
    if (nowMs - droppedMs < dropLogMs) return;
    droppedMs = nowMs;
    log('connections closed: MAX_CONNECTIONS are waiting for a worker');
  });
  const url = await openPort(server, config);
  const crew = createCrew({
    count: config.lifecycle.workers,
    startMember: () =>
      startMember({ kind: 'serve', url, upstreamUrl: upstreamUrl?.href ?? null }, switchboard),
    drainMs: () => drain.timeoutMs,
    log,
  });

  async function reload(): Promise<void> {
    const { config: next, faults } = await readAnew();
    if (isStopping) return;
    if (!next) return log(`reload failed, the workers are unchanged: ${faults.join('; ')}`);
    drain = next.lifecycle.drain;
    if (!isDeepStrictEqual(keptFrom(next), keptFrom(config))) {
      log('reload: changes of HOST, PORT, WORKERS and ADMIN_… need a restart');
    }
    await crew.renew();
  }

  let reloading = Promise.resolve();
  let reloadsDue = 0;
  let isStopping = false;
  onSignals({
    async stop() {
      isStopping = true;
      crew.retire();
      if (drain.delayMs > 0) await delay(drain.delayMs);
      await closePort(server, drain.timeoutMs / 2);
      const isWell = await crew.end();
      switchboard.close();
      await opened.close();
      process.exit(isWell ? 0 : 1);
    },
    abort() {
      crew.kill();
      process.exit(1);
    },
    reload() {
      // One at work, and one after it: what has changed since that one began.
      if (reloadsDue >= 2) return;
      reloadsDue += 1;
      reloading = reloading
        .then(reload)
        .catch((fault: unknown) => log(`reload failed, the workers are unchanged: ${fault}`))
        .finally(() => {
          reloadsDue -= 1;
        });
    },
  });

  const faults = await crew.start();
  // Those that are stopped while they start are no news, and neither is that the others serve.
  if (isStopping) return new Promise(() => {});
  const { readMetrics, liveness, readiness } = crew;
  if (!faults) return { url, readMetrics, liveness, readiness };
  crew.kill();
  server.close();
  throw new Error(faults.join('\n'));
}

/** What the supervisor itself has opened, for as long as it runs. */
function keptFrom({ host, port, lifecycle: { workers }, telemetry: { admin } }: Config) {
  return { host, port, workers, admin };
}
