import type { Server } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { closePort } from '../port.ts';
import type { Connections } from './connections.ts';

const lookMs = 25;
/**
 * How long nothing may come before connections on which nothing is due are taken to be idle. Each look counts for at most
 * `lookMs`: where the processor is short, the clock says more than this process could see, and callers are late too.
 */
const quietMs = 200;

/**
 * Leaves without cutting anybody off: closes the port, if the server has it; answers what is at work and what still
 * arrives over standing connections, each with `Connection: close`; and hangs up on the others once it has been quiet
 * on them for a while, or half the time is over. After `timeoutMs` it hangs up on everybody. Resolves to how many
 * answers were due then.
 */
export async function drain(server: Server, connections: Connections, timeoutMs: number): Promise<number> {
  const startedMs = performance.now();
  // First, so that nobody who is told to come over another connection comes back here, and waits as the port is closed.
  if (server.listening) await closePort(server, timeoutMs / 2);
  connections.leave();

  let stir = connections.stir();
  let quietForMs = 0;
  let nowMs = performance.now();
  while (connections.size > 0 && nowMs - startedMs < timeoutMs) {
    await delay(Math.min(lookMs, timeoutMs));
    // Timers come first: on a busy machine what has come meanwhile is still to be read.
    await turn();
    const lookedMs = nowMs;
    nowMs = performance.now();
    const newStir = connections.stir();
    quietForMs = newStir === stir ? quietForMs + Math.min(lookMs, nowMs - lookedMs) : 0;
    stir = newStir;
    // The other half is for calls that are at work by then.
    const isOld = nowMs - startedMs >= timeoutMs / 2;
    if (isOld || quietForMs >= quietMs) connections.closeIdle();
  }
  const overdue = connections.cut();
  // With its port this also ends Node's look for requests that are late, which goes on until here.
  server.close();
  return overdue;
}
