import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contender, UPSTREAM_CONNECTIONS } from '../contenders/contender.ts';
import { type Command, onFirstCore, pin } from './cores.ts';
import { end, launch } from './launch.ts';
import { freePort, whenListening } from './ports.ts';
import { scratchFolder } from './scratch.ts';
import { type Memory, memoryOf, type Usage, usageOf } from './usage.ts';

/** A running server program. */
export interface Server {
  url: string;
  usage(): Usage;
  memory(): Memory | null;
  /** Gives it the first core alone, or all of them. */
  pin(isPinned: boolean): void;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts a contender in front of an upstream, on the first core. */
export async function startServer(
  contender: Contender,
  upstream: { url: string; certificateFile?: string | undefined },
  env: Record<string, string> = {},
): Promise<Server> {
  const port = await freePort();
  const { url: upstreamUrl, certificateFile } = upstream;
  return startProcess(contender.command({ port, upstreamUrl }), port, {
    NODE_ENV: 'production',
    PORT: String(port),
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_CONNECTIONS: String(UPSTREAM_CONNECTIONS),
    ...(certificateFile !== undefined && { NODE_EXTRA_CA_CERTS: certificateFile }),
    ...contender.env,
    ...env,
  });
}

/** Starts a command on the first core, and waits until it accepts connections on the port. */
export async function startProcess(
  command: Command,
  port: number,
  env: Record<string, string>,
): Promise<Server> {
  // A file, so that no process has to read what a server logs for every operation.
  const outputFile = join(scratchFolder(), 'output');
  const output = openSync(outputFile, 'w');
  const child = launch(onFirstCore(command), {
    env: { PATH: process.env.PATH ?? '', ...env },
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
    pin: (isPinned) => pin(pid, isPinned),
    signal: (name) => void child.kill(name),
    stop: () => end(child),
  };
}
