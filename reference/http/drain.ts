import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

const QUIET_MS = 100;
const DRAIN_TIMEOUT_MS = 3_000;
/** Time limit for accepting connections from the backlog. */
const ACCEPT_TIMEOUT_MS = 1_000;

/**
 * Prepares a graceful shutdown. The returned function closes the port, completes the requests in progress and
 * those that still arrive over open connections with `Connection: close`, and closes all connections after
 * 100 ms without a request, or after three seconds in any case.
 */
export function createDrain(server: Server): () => Promise<void> {
  const responses = new Set<ServerResponse>();
  let isDraining = false;
  let requestCount = 0;
  let quietTimer: NodeJS.Timeout | undefined;
  const closeConnections = () => server.closeAllConnections();

  server.prependListener('request', (_, response: ServerResponse) => {
    responses.add(response);
    requestCount += 1;
    if (isDraining) response.shouldKeepAlive = false;
    response.once('close', () => {
      responses.delete(response);
      quietTimer?.refresh();
    });
  });

  const closeIfQuiet = async () => {
    const before = requestCount;
    // Timers run before I/O: on a busy machine, requests that have arrived are still unread.
    await nextTurn();
    if (requestCount === before && responses.size === 0) closeConnections();
  };

  return async () => {
    await acceptBacklog(server);
    const closed = once(server, 'close');
    // http.Server's own close destroys idle connections at once, and with them requests that are on their
    // way.
    NetServer.prototype.close.call(server);
    // Only now: a client that gets `Connection: close` earlier would reconnect to a port that is about to
    // close.
    isDraining = true;
    for (const response of responses) response.shouldKeepAlive = false;
    quietTimer = setTimeout(() => void closeIfQuiet(), QUIET_MS);
    const timeout = setTimeout(closeConnections, DRAIN_TIMEOUT_MS);
    await closed;
    clearTimeout(quietTimer);
    clearTimeout(timeout);
  };
}

/** Closing the port would reset connections in the backlog. Versions of Node accept one or all per turn. */
async function acceptBacklog(server: Server): Promise<void> {
  const deadlineMs = performance.now() + ACCEPT_TIMEOUT_MS;
  let emptyTurns = 0;
  const onConnection = () => {
    emptyTurns = 0;
  };
  server.on('connection', onConnection);
  while (emptyTurns < 2 && performance.now() < deadlineMs) {
    emptyTurns += 1;
    await nextTurn();
  }
  server.off('connection', onConnection);
}
