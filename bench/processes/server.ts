import { type Contender, UPSTREAM_CONNECTIONS } from '../contenders/contender.ts';
import { pinnedFirst } from './cores.ts';
import { end, launch } from './launch.ts';
import { freePort, whenListening } from './ports.ts';
import { type Usage, usageOf } from './usage.ts';

/** A contender that runs. */
export interface Server {
  url: string;
  usage(): Usage;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts a contender before that upstream, on its own cores, and waits until it takes connections. */
export async function startServer(contender: Contender, upstreamUrl: string): Promise<Server> {
  const port = await freePort();
  const command = pinnedFirst(contender.command({ port, upstreamUrl }), contender.cores);
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    PORT: String(port),
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_CONNECTIONS: String(UPSTREAM_CONNECTIONS),
    ...contender.env,
  };
  const child = launch(command, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  await whenListening(port, child);
  return {
    url: `http://127.0.0.1:${port}`,
    usage: () => usageOf(child.pid ?? 0),
    signal: (name) => void child.kill(name),
    stop: () => end(child),
  };
}
