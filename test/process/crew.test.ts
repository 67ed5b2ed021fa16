import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createCrew } from '../../src/process/crew.ts';
import type { Member } from '../../src/process/member.ts';
import { createGate } from '../harness/gate.ts';

/** Workers without a process: the test says when each serves and when it ends. */
function start(count: number) {
  const workers: ReturnType<typeof createWorker>[] = [];
  const lines: string[] = [];
  const crew = createCrew({
    count,
    startMember() {
      const worker = createWorker(workers.length + 1);
      workers.push(worker);
      started.shift()?.open();
      return worker.member;
    },
    drainMs: () => 0,
    log: (line) => lines.push(line),
  });
  const started: ReturnType<typeof createGate<void>>[] = [];
  /** Settles when so many have been started. */
  async function startedAll(total: number) {
    while (workers.length < total) {
      const gate = createGate();
      started.push(gate);
      await gate.promise;
    }
  }
  return { crew, workers, lines, startedAll };
}

function createWorker(pid: number) {
  const ready = createGate<string[] | undefined>();
  const ended = createGate<{ code: number | null; signal: NodeJS.Signals | null }>();
  const end = (code: number) => {
    ready.open(['it ended']);
    ended.open({ code, signal: null });
  };
  const member: Member = {
    pid,
    startedMs: performance.now(),
    ready: ready.promise,
    ended: ended.promise,
    readMetrics: async () => undefined,
    isResponsive: async () => true,
    retire() {},
    dismiss: () => end(0),
    kill: () => end(1),
  };
  return { member, serve: () => ready.open(undefined), end };
}

it('replaces on a reload a worker that had just been started', async () => {
  const { crew, workers, lines, startedAll } = start(2);
  const begun = crew.start();
  for (const worker of workers) worker.serve();
  expect(await begun).toBeUndefined();
  // The third takes the place of the first. It may have read the old configuration when the reload comes.
  workers[0]?.end(1);
  await startedAll(3);
  const renewed = crew.renew();
  await startedAll(4);
  workers[3]?.serve();
  await workers[1]?.member.ended;
  // It serves after its turn has come.
  await turn();
  workers[2]?.serve();
  await startedAll(5);
  workers[4]?.serve();
  await renewed;
  expect(workers).toHaveLength(5);
  for (const n of [1, 2]) expect(await workers[n]?.member.ended).toEqual({ code: 0, signal: null });
  expect(lines.at(-1)).toBe('reload: all workers were replaced');
});

it('carries out a reload that comes while the first workers start', async () => {
  const { crew, workers, startedAll } = start(1);
  const begun = crew.start();
  const renewed = crew.renew();
  workers[0]?.serve();
  expect(await begun).toBeUndefined();
  await startedAll(2);
  workers[1]?.serve();
  await renewed;
  expect(await workers[0]?.member.ended).toEqual({ code: 0, signal: null });
});

it('goes on with a reload where a worker that had just been started ends', async () => {
  const { crew, workers, lines, startedAll } = start(1);
  const begun = crew.start();
  workers[0]?.serve();
  await begun;
  workers[0]?.end(1);
  await startedAll(2);
  const renewed = crew.renew();
  workers[1]?.end(1);
  await renewed;
  // Its successor reads the new configuration as it starts.
  await startedAll(3);
  expect(lines).toContain('reload: all workers were replaced');
  expect(workers).toHaveLength(3);
});
