import type { WorkerHandle } from './worker-handle.ts';

/** The state of all workers together, as the body of a probe's response. */
export type Health = 'ok' | 'starting' | 'draining' | 'unresponsive';

/** `ok` as soon as one worker responds, `unresponsive` where none does in time, `ifNone` without workers. */
export async function healthOf(workers: readonly WorkerHandle[], ifNone: Health): Promise<Health> {
  if (workers.length === 0) return ifNone;
  const responses = workers.map(async (worker) => {
    if (!(await worker.isResponsive())) throw new Error('no response');
  });
  return Promise.any(responses).then(
    () => 'ok',
    () => 'unresponsive',
  );
}
