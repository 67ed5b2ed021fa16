import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

const QUIET_MS = 100;
const PATIENCE_MS = 3_000;
/** How long connections that wait to be taken are let in, however many come. */
const LAST_CALL_MS = 1_000;

/**
 * Prepares a server to leave without cutting anybody off. What it returns closes the port, from then on answers what runs
 * and what still arrives over standing connections with `Connection: close`, and hangs up once it has been quiet for a
 * tenth of a second, or after three seconds whatever runs.
 */
export function createDrain(server: Server): () => Promise<void> {
  const answering = new Set<ServerResponse>();
  let isLeaving = false;
  let heard = 0;
  let quiet: NodeJS.Timeout | undefined;
  const hangUp = () => server.closeAllConnections();

  server.prependListener('request', (_, response: ServerResponse) => {
    answering.add(response);
    heard += 1;
    if (isLeaving) response.shouldKeepAlive = false;
    response.once('close', () => {
      answering.delete(response);
      quiet?.refresh();
    });
  });

  const look = async () => {
    const before = heard;
    // Timers come first: on a busy machine what has come meanwhile is still to be read.
    await turn();
    if (heard === before && answering.size === 0) hangUp();
  };

  return async () => {
    await taken(server);
    const closed = once(server, 'close');
    // HTTP's own close destroys idle connections at once, and with them the requests that are on their way.
    NetServer.prototype.close.call(server);
    // Not before: who is told to come over another connection would come back here, and wait as the port is closed.
    isLeaving = true;
    for (const response of answering) response.shouldKeepAlive = false;
    quiet = setTimeout(() => void look(), QUIET_MS);
    const overdue = setTimeout(hangUp, PATIENCE_MS);
    await closed;
    clearTimeout(quiet);
    clearTimeout(overdue);
  };
}

/** Connections that wait to be taken would be reset with the port. Node takes one in a turn, or all, by its version. */
async function taken(server: Server): Promise<void> {
  const lastMs = performance.now() + LAST_CALL_MS;
  let emptyTurns = 0;
  const onConnection = () => {
    emptyTurns = 0;
  };
  server.on('connection', onConnection);
  while (emptyTurns < 2 && performance.now() < lastMs) {
    emptyTurns += 1;
    await turn();
  }
  server.off('connection', onConnection);
}
