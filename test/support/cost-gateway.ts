import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Attack } from './attacks.ts';
import type { Usage } from './cost-gauge.ts';

const main = resolve(import.meta.dirname, '../../src/main.ts');
const gauge = resolve(import.meta.dirname, 'cost-gauge.ts');

/** What one request cost the gateway. */
export interface Cost {
  status: number;
  bytes: number;
  errors: number;
  cpuMs: number;
}

export type GaugedGateway = Awaited<ReturnType<typeof startGaugedGateway>>;

/** A gateway in a process of its own, in as much memory as the deployment gives it, whose use of CPU can be read. */
export async function startGaugedGateway(upstreamUrl: string) {
  const child = fork(main, {
    execArgv: ['--max-old-space-size=768', '--import', import.meta.resolve('tsx'), '--import', gauge],
    env: { PATH: process.env.PATH ?? '', PORT: '0', UPSTREAM_URL: upstreamUrl, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [ready] = await once(child.stdout ?? child, 'data');
  const url = `${/ready at (\S+?)\/graphql/.exec(String(ready))?.[1] ?? ''}/graphql`;

  const usage = async (): Promise<Usage> => {
    const answer = once(child, 'message');
    child.send('read');
    const [reading] = await answer;
    return reading;
  };
  const post = async ({ headers, ...body }: Attack): Promise<Omit<Cost, 'cpuMs'>> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-api-key': 'made-up-key-of-nobody',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      bytes: Buffer.byteLength(text),
      errors: text.split('"locations":[{').length - 1,
    };
  };
  return {
    usage,
    post,
    /** Sends one request while no other is under way. */
    async send(attack: Attack): Promise<Cost> {
      const before = await usage();
      const answer = await post(attack);
      return { ...answer, cpuMs: (await usage()).cpuMs - before.cpuMs };
    },
  };
}
