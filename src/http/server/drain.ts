import type { Server } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { closePort } from '../../port.ts';
import type { Connections } from './connections.ts';

const checkMs = 25;
/**
 * How long no input may arrive before connections without a pending response count as idle. Each check counts for at most
 * `checkMs`: while the process lacks CPU time, more time passes than its event loop could see.
 */
const quietMs = 200;

/**
 * Drains a server: closes its port, if it has one; responds to the active requests and to those that still arrive over
 * open connections, each with `Connection: close`; closes the other connections once no input has arrived for a while, or
 * after half of the time. Destroys all connections after `timeoutMs`. Resolves to the number of responses pending then.
 */
export async function drain(server: Server, connections: Connections, timeoutMs: number): Promise<number> {
  const startedMs = performance.now();
  // First, so that a client with `Connection: close` does not connect again and wait while the port closes.
  if (server.listening) await closePort(server, timeoutMs / 2);
  connections.endKeepAlive();

  let activity = connections.activity();
  let quietForMs = 0;
  let nowMs = performance.now();
  while (connections.size > 0 && nowMs - startedMs < timeoutMs) {
    await delay(Math.min(checkMs, timeoutMs));
    // Timers run before I/O: on a busy machine input that has arrived meanwhile is not read yet.
    await turn();
    const checkedMs = nowMs;
    nowMs = performance.now();
    const newActivity = connections.activity();
    quietForMs = newActivity === activity ? quietForMs + Math.min(checkMs, nowMs - checkedMs) : 0;
    activity = newActivity;
    // The other half is for the requests that are active by then.
    const isHalfOver = nowMs - startedMs >= timeoutMs / 2;
    if (isHalfOver || quietForMs >= quietMs) connections.closeIdle();
  }
  const pending = connections.destroyAll();
  // This also stops Node's timeout checks, which the drain needs until here.
  server.close();
  return pending;
}
