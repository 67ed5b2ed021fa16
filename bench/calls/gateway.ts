import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inProject } from '../contenders/places.ts';
import { isPinned } from '../reference/process.ts';

const MAIN = inProject('dist/main.js');

/** Starts the built gateway, on the first core where there are two, with these settings. */
export async function startGateway(upstreamUrl: string, env: Record<string, string>) {
  const command = [...(isPinned ? ['taskset', '-c', '0'] : []), process.execPath, MAIN];
  const [file = process.execPath, ...args] = command;
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH ?? '', PORT: '0', LOG_LEVEL: 'warn', UPSTREAM_URL: upstreamUrl, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    url: String(line).replace('ready at ', ''),
    async stop(): Promise<void> {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}
