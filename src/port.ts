import { type AddressInfo, Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface Address {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

/** How long connections that wait to be accepted are let in at least, however many come. */
const lastCallMs = 1000;
/** How many connections can wait to be accepted: Node's default for `listen`. */
const backlog = 511;

/** Opens a port. Resolves to its URL, without a slash at the end; rejects when it cannot be had. */
export function openPort(server: Server, { host, port }: Address): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${taken}`);
    });
  });
}

/**
 * Closes a port, and no connection: one that waits to be accepted would be reset with it, so that all are accepted first.
 * Ends for a port on which more keep coming: once as many are accepted as can have waited, or after `limitMs`.
 */
export async function closePort(server: Server, limitMs: number): Promise<void> {
  const lastMs = performance.now() + Math.max(lastCallMs, limitMs);
  let emptyTurns = 0;
  let accepted = 0;
  const onAccepted = () => {
    emptyTurns = 0;
    accepted += 1;
  };
  server.on('connection', onAccepted).on('drop', onAccepted);
  // Node accepts one in a turn, or all, by its version; where the processor is short a turn takes long, and so a second is
  // few turns. The first turn may be the rest of one.
  while (emptyTurns < 2 && accepted < backlog && performance.now() < lastMs) {
    emptyTurns += 1;
    await turn();
  }
  // HTTP's own close destroys idle connections at once, and with them the requests that are on their way.
  Server.prototype.close.call(server);
}
