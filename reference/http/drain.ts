import { once } from 'node:events';
import type { Server } from 'node:http';

const DRAIN_TIMEOUT_MS = 3_000;
const IDLE_CHECK_MS = 50;

/**
 * Closes the port, completes the requests in progress, closes each connection when it is idle, and those that are left
 * after three seconds.
 */
export async function drain(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const timeout = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timeout);
}
