import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayProcess } from '../support/gateway-process.ts';
import type { Readings } from '../support/probe.ts';

type Memory = Readings['memory'];

/** Idle connections remain open for some seconds, more on a slow machine. */
const TIMEOUT_MS = 60_000;

/** Whether there is no connection, timer or pending system call but the listening sockets. */
export function isIdle({ resources }: Memory): boolean {
  return Object.keys(resources).every((name) => name === 'PipeWrap' || name === 'TCPServerWrap');
}

/** The first reading for which `isDone` holds, or the last one before the time limit. */
export async function untilIdle(gateway: GatewayProcess, isDone = isIdle): Promise<Memory> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const reading = await gateway.read('memory');
    if (isDone(reading) || performance.now() > deadline) return reading;
    await pause(100);
  }
}

/** Options for measuring memory, and the lines of the log that are of no operation and no REST call. */
export function memoryOptions(env: Record<string, string> = {}) {
  const warnings: string[] = [];
  const onLine = (line: string) => {
    if (!/"event":"(operation|upstream)"/.test(line)) warnings.push(line);
  };
  // Compiled code that V8 discards and compiles again would be noise.
  return { options: { env, onLine, execArgv: ['--expose-gc', '--no-flush-bytecode'] }, warnings };
}
