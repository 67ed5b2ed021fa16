import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import { closePort, openPort } from '../port.ts';
import { createConnectionBalancer } from './connection-balancer.ts';
import type { Disposable } from './disposables.ts';
import { onSignals } from './shutdown.ts';
import { startWorker } from './worker-handle.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';

/** Shortest interval between log lines about closed connections. */
const dropLogMs = 60_000;

export interface SupervisorOptions {
  config: Config;
  /** Reads the configuration again, as each new worker does. */
  reread(): Promise<{ config: Config; faults?: never } | { config?: never; faults: string[] }>;
  /** What the workers need until they have exited. */
  disposables: Disposable;
  upstreamUrl: URL | null;
  log: (line: string) => void;
}

/** The workers, once all of them serve. */
export interface Supervisor extends Pick<WorkerPool, 'readMetrics' | 'liveness' | 'readiness'> {
  url: string;
}

/**
 * Opens the port, starts the workers, replaces those that exit, and passes each connection to one of them. Resolves when
 * all of them serve.
 * @throws an Error where the port is not available or a worker cannot start; there are no workers then
 */
export async function startSupervisor({
  config,
  reread,
  disposables,
  upstreamUrl,
  log,
}: SupervisorOptions): Promise<Supervisor> {
  let { drain } = config.lifecycle;
  const balancer = createConnectionBalancer();
  const server = createServer({ pauseOnConnect: true, noDelay: true }, balancer.pass);
  server.maxConnections = config.edge.maxConnections;
  let droppedMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    const nowMs = performance.now();
    if (nowMs - droppedMs < dropLogMs) return;
    droppedMs = nowMs;
    log('connections closed: MAX_CONNECTIONS are waiting for a worker');
  });
  const url = await openPort(server, config);
  const pool = createWorkerPool({
    count: config.lifecycle.workers,
    startWorker: () => startWorker({ kind: 'serve', url, upstreamUrl: upstreamUrl?.href ?? null }, balancer),
    drainMs: () => drain.timeoutMs,
    log,
  });

  async function reload(): Promise<void> {
    const { config: next, faults } = await reread();
    if (isStopping) return;
    if (!next) return log(`reload failed, the workers are unchanged: ${faults.join('; ')}`);
    drain = next.lifecycle.drain;
    if (!isDeepStrictEqual(supervisedFrom(next), supervisedFrom(config))) {
      log('reload: changes of HOST, PORT, WORKERS and ADMIN_… need a restart');
    }
    await pool.restart();
  }

  let reloading = Promise.resolve();
  let pendingReloads = 0;
  let isStopping = false;
  onSignals({
    async stop() {
      isStopping = true;
      pool.retire();
      if (drain.delayMs > 0) await delay(drain.delayMs);
      await closePort(server, drain.timeoutMs / 2);
      const isClean = await pool.drain();
      balancer.close();
      await disposables.close();
      process.exit(isClean ? 0 : 1);
    },
    abort() {
      pool.kill();
      process.exit(1);
    },
    reload() {
      // One in progress, and one after it, for what has changed since the first started.
      if (pendingReloads >= 2) return;
      pendingReloads += 1;
      reloading = reloading
        .then(reload)
        .catch((fault: unknown) => log(`reload failed, the workers are unchanged: ${fault}`))
        .finally(() => {
          pendingReloads -= 1;
        });
    },
  });

  const faults = await pool.start();
  // A stop during the start is no failure, and the process exits.
  if (isStopping) return new Promise(() => {});
  const { readMetrics, liveness, readiness } = pool;
  if (!faults) return { url, readMetrics, liveness, readiness };
  pool.kill();
  server.close();
  throw new Error(faults.join('\n'));
}

/** The settings that only a restart of the supervisor changes. */
function supervisedFrom({ host, port, lifecycle: { workers }, telemetry: { admin } }: Config) {
  return { host, port, workers, admin };
}
