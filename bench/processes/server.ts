import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contender, UPSTREAM_CONNECTIONS } from '../contenders/contender.ts';
import { onAllCores, onFirstCore } from './cores.ts';
import { end, launch } from './launch.ts';
import { freePort, whenListening } from './ports.ts';
import { scratchFolder } from './scratch.ts';
import { type Memory, memoryOf, type Usage, usageOf } from './usage.ts';

/** A contender that runs. */
export interface Server {
  url: string;
  usage(): Usage;
  memory(): Memory;
  stop(): Promise<void>;
}

/** Starts a contender in front of a REST API, on the first core or on all of them, and waits until it accepts connections. */
export async function startServer(
  { command, env }: Contender,
  upstreamUrl: string,
  isPinned = true,
): Promise<Server> {
  const port = await freePort();
  // A file, so that no process has to read the lines that a server logs for every operation.
  const outputFile = join(scratchFolder(), 'output');
  const output = openSync(outputFile, 'w');
  const child = launch(isPinned ? onFirstCore(command) : onAllCores(command), {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      PORT: String(port),
      UPSTREAM_URL: upstreamUrl,
      UPSTREAM_CONNECTIONS: String(UPSTREAM_CONNECTIONS),
      ...env,
    },
    stdio: ['ignore', output, output],
  });
  await whenListening(port, child).catch((error: unknown) => {
    throw new Error(readFileSync(outputFile, 'utf8').slice(-2000), { cause: error });
  });
  const pid = child.pid ?? 0;
  return {
    url: `http://127.0.0.1:${port}`,
    usage: () => usageOf(pid),
    memory: () => memoryOf(pid),
    stop: () => end(child),
  };
}
