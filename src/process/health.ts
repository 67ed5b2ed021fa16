import type { Member } from './member.ts';

/** The state of all workers together, in the word that a probe answers. */
export type Health = 'ok' | 'starting' | 'draining' | 'unresponsive';

/** `ok` as soon as one of the workers responds, `unresponsive` where none does in time; `ifNone` where there are none. */
export async function healthOf(workers: readonly Member[], ifNone: Health): Promise<Health> {
  if (workers.length === 0) return ifNone;
  const responses = workers.map(async (worker) => {
    if (!(await worker.isResponsive())) throw new Error('no response');
  });
  return Promise.any(responses).then(
    () => 'ok',
    () => 'unresponsive',
  );
}
