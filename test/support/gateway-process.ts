import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import type { Attack } from './attacks.ts';
import { postOperation } from './gateway.ts';
import type { Readings } from './probe.ts';
import { startProcess } from './process.ts';

/** As a module that Node loads as it is: tsx would read every file of the gateway too. */
const probe = buildSync({
  entryPoints: [resolve(import.meta.dirname, 'probe.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
});
const probeUrl = `data:text/javascript,${encodeURIComponent(probe.outputFiles[0]?.text ?? '')}`;

interface ProcessOptions {
  env?: Record<string, string>;
  execArgv?: string[];
  /** Receives each line of the log once the gateway is ready. */
  onLine?: (line: string) => void;
}

export type GatewayProcess = Awaited<ReturnType<typeof startGatewayProcess>>;

/** Starts a gateway in a process that reports what it uses. The process ends with the test at the latest. */
export async function startGatewayProcess(
  upstreamUrl: string,
  { env = {}, execArgv = [], onLine = console.error }: ProcessOptions = {},
) {
  const settings = { PORT: '0', UPSTREAM_URL: upstreamUrl, ...env };
  const main = await startProcess('main.ts', settings, [], [...execArgv, '--import', probeUrl]);
  const [, url = ''] = await main.printed(/ready at (\S+)/);
  createInterface(main.child.stderr).on('line', onLine);
  const exited = main.exit().then(({ code, stderr }) => {
    throw new Error(`The gateway exited with ${code}: ${stderr.slice(-2000)}`);
  });
  exited.catch(() => {});
  // A message to a process that has exited fails; `exited` reports that.
  main.child.on('error', () => {});
  return {
    url,
    origin: new URL(url).origin,
    hasExited: () => !main.child.connected,
    /** One reading at a time; rejects when the process has exited. */
    async read<What extends keyof Readings>(what: What): Promise<Readings[What]> {
      main.child.send(what);
      const [reading] = await Promise.race([once(main.child, 'message'), exited]);
      return reading;
    },
    /** Shuts the process down, and settles once all of its output is read. */
    async stop(): Promise<void> {
      const closed = once(main.child.stderr, 'close');
      main.kill('SIGTERM');
      // The IPC channel would keep the process running.
      main.child.disconnect();
      await closed;
    },
  };
}

export interface Cost {
  status: number;
  bytes: number;
  errors: number;
  cpuMs: number;
}

/** Starts a gateway with the memory of a deployment, and measures the CPU time of single requests. */
export async function startMeasuredGateway(
  upstreamUrl: string,
  plain: Attack,
  env: Record<string, string> = {},
) {
  const gateway = await startGatewayProcess(upstreamUrl, {
    execArgv: ['--max-old-space-size=768'],
    env: { LOG_LEVEL: 'error', ...env },
  });
  const usage = () => gateway.read('usage');

  async function post({ headers, ...body }: Attack): Promise<Omit<Cost, 'cpuMs'>> {
    const { variables } = body;
    const key = 'key-of-the-attacker';
    const { response } = await postOperation(gateway.url, body, { variables, key, headers: { ...headers } });
    const text = await response.text();
    return {
      status: response.status,
      bytes: Buffer.byteLength(text),
      errors: text.split('"locations":[{').length - 1,
    };
  }

  /** Sends one request while no other is in progress. */
  async function send(attack: Attack): Promise<Cost> {
    const before = await usage();
    const response = await post(attack);
    return { ...response, cpuMs: (await usage()).cpuMs - before.cpuMs };
  }

  for (let n = 0; n < 300; n += 1) await send(plain);
  const before = await usage();
  for (let n = 0; n < 100; n += 1) await send(plain);
  const plainCpuMs = ((await usage()).cpuMs - before.cpuMs) / 100;
  return { url: gateway.url, usage, post, send, plainCpuMs };
}
