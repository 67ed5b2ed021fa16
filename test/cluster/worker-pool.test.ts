import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { WorkerHandle } from '../../src/cluster/worker-handle.ts';
import { createWorkerPool } from '../../src/cluster/worker-pool.ts';
import { createGate } from '../support/gate.ts';

/** Workers without a process: the test decides when each serves and exits. */
function start(count: number) {
  const workers: ReturnType<typeof createWorker>[] = [];
  const lines: string[] = [];
  const pool = createWorkerPool({
    count,
    startWorker() {
      const worker = createWorker(workers.length + 1);
      workers.push(worker);
      started.shift()?.open();
      return worker.handle;
    },
    drainMs: () => 0,
    log: (line) => lines.push(line),
  });
  const started: ReturnType<typeof createGate<void>>[] = [];
  /** Resolves when `total` workers have been started. */
  async function startedAll(total: number) {
    while (workers.length < total) {
      const gate = createGate();
      started.push(gate);
      await gate.promise;
    }
  }
  return { pool, workers, lines, startedAll };
}

function createWorker(pid: number) {
  const ready = createGate<string[] | undefined>();
  const exited = createGate<{ code: number | null; signal: NodeJS.Signals | null }>();
  const exit = (code: number) => {
    ready.open(['it exited']);
    exited.open({ code, signal: null });
  };
  const handle: WorkerHandle = {
    pid,
    startedMs: performance.now(),
    ready: ready.promise,
    exited: exited.promise,
    readMetrics: async () => undefined,
    isResponsive: async () => true,
    retire() {},
    drain: () => exit(0),
    kill: () => exit(1),
  };
  return { handle, serve: () => ready.open(undefined), exit };
}

it('replaces a worker that is starting when a reload begins', async () => {
  const { pool, workers, lines, startedAll } = start(2);
  const begun = pool.start();
  for (const worker of workers) worker.serve();
  expect(await begun).toBeUndefined();
  // The third replaces the first. It may have read the old configuration before the reload.
  workers[0]?.exit(1);
  await startedAll(3);
  const restarted = pool.restart();
  await startedAll(4);
  workers[3]?.serve();
  await workers[1]?.handle.exited;
  // It serves only after the reload has reached it.
  await immediate();
  workers[2]?.serve();
  await startedAll(5);
  workers[4]?.serve();
  await restarted;
  expect(workers).toHaveLength(5);
  for (const n of [1, 2]) expect(await workers[n]?.handle.exited).toEqual({ code: 0, signal: null });
  expect(lines.at(-1)).toBe('reload: all workers were replaced');
});

it('reloads after the first workers have started', async () => {
  const { pool, workers, startedAll } = start(1);
  const begun = pool.start();
  const restarted = pool.restart();
  workers[0]?.serve();
  expect(await begun).toBeUndefined();
  await startedAll(2);
  workers[1]?.serve();
  await restarted;
  expect(await workers[0]?.handle.exited).toEqual({ code: 0, signal: null });
});

it('continues a reload when a starting worker exits', async () => {
  const { pool, workers, lines, startedAll } = start(1);
  const begun = pool.start();
  workers[0]?.serve();
  await begun;
  workers[0]?.exit(1);
  await startedAll(2);
  const restarted = pool.restart();
  workers[1]?.exit(1);
  await restarted;
  // Its successor starts with the new configuration.
  await startedAll(3);
  expect(lines).toContain('reload: all workers were replaced');
  expect(workers).toHaveLength(3);
});
