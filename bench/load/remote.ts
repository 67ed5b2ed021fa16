import { once } from 'node:events';
import { inBench } from '../paths.ts';
import { offFirstCore } from '../processes/cores.ts';
import { launch } from '../processes/launch.ts';
import type { Tasks } from './main.ts';

interface Reply {
  result?: unknown;
  error?: string;
}

/** The load generator in a process of its own. It also runs the Node upstreams, so that their clock is the same. */
export type LoadGenerator = Awaited<ReturnType<typeof startLoadGenerator>>;

/** Starts the load generator, off the first core if there are several. */
export async function startLoadGenerator() {
  const command = offFirstCore([process.execPath, inBench('dist/load/main.js')]);
  const child = launch(command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

  async function reply(): Promise<unknown> {
    const [message] = await once(child, 'message');
    const { result, error } = message as Reply;
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async function call<T extends keyof Tasks>(
    task: T,
    ...[input]: Parameters<Tasks[T]>
  ): Promise<Awaited<ReturnType<Tasks[T]>>> {
    child.send({ task, input });
    return (await reply()) as Awaited<ReturnType<Tasks[T]>>;
  }

  await reply();
  return { call, stop: () => child.disconnect() };
}
