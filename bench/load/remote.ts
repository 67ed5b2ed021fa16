import { once } from 'node:events';
import { resolve } from 'node:path';
import { keepOff, pinnedAfter } from '../processes/cores.ts';
import { launch } from '../processes/launch.ts';
import type { Tasks } from './tasks.ts';

interface Reply {
  result?: unknown;
  error?: string;
}

type Given<T extends keyof Tasks> = Parameters<Tasks[T]>[0] extends undefined
  ? object
  : Parameters<Tasks[T]>[0];

/** The load in a process of its own, and in it the upstream that takes its time. */
export type Load = Awaited<ReturnType<typeof startLoad>>;

/** Starts the load off the first core, where there are several. */
export async function startLoad() {
  const main = resolve(import.meta.dirname, 'main.js');
  const command = pinnedAfter([process.execPath, main], 1);
  const child = launch(command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

  async function reply(): Promise<unknown> {
    const [message] = await once(child, 'message');
    const { result, error } = message as Reply;
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async function call<T extends keyof Tasks>(
    task: T,
    given: Given<T>,
  ): Promise<Awaited<ReturnType<Tasks[T]>>> {
    child.send({ task, given });
    return (await reply()) as Awaited<ReturnType<Tasks[T]>>;
  }

  await reply();
  return {
    call,
    /** Leaves the first `cores` cores to whom it asks. */
    leave: (cores: number) => keepOff(child.pid ?? 0, cores),
    stop: () => child.disconnect(),
  };
}
