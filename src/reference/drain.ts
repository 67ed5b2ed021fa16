import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

const QUIET_MS = 100;
const PATIENCE_MS = 3_000;

/**
 * Prepares a server to leave without cutting anybody off. What it returns closes the port, answers what runs and
 * what still arrives over standing connections, each with `Connection: close`, and hangs up once it has been
 * quiet for a tenth of a second, or after three seconds whatever runs.
 */
export function createDrain(server: Server): () => Promise<void> {
  const answering = new Set<ServerResponse>();
  let isLeaving = false;
  let quiet: NodeJS.Timeout | undefined;
  const hangUp = () => server.closeAllConnections();

  server.prependListener('request', (_, response: ServerResponse) => {
    answering.add(response);
    if (isLeaving) response.shouldKeepAlive = false;
    response.once('close', () => {
      answering.delete(response);
      quiet?.refresh();
    });
  });

  return async () => {
    isLeaving = true;
    for (const response of answering) response.shouldKeepAlive = false;
    // Connections that wait to be taken would be reset with the port.
    await turn();
    const closed = once(server, 'close');
    // HTTP's own close destroys idle connections at once, and with them the requests that are on their way.
    NetServer.prototype.close.call(server);
    quiet = setTimeout(() => answering.size > 0 || hangUp(), QUIET_MS);
    const overdue = setTimeout(hangUp, PATIENCE_MS);
    await closed;
    clearTimeout(quiet);
    clearTimeout(overdue);
  };
}
