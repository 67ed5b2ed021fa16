import { type AddressInfo, Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface Address {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

/** How long connections that wait to be taken are let in, however many come. */
const lastCallMs = 1000;

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

/** Closes a port, and no connection: one that waits to be taken would be reset with it, so that all are taken first. */
export async function closePort(server: Server): Promise<void> {
  const lastMs = performance.now() + lastCallMs;
  let emptyTurns = 0;
  server.on('connection', () => {
    emptyTurns = 0;
  });
  // Node takes one in a turn, or all, by its version. The first turn may be the rest of one.
  while (emptyTurns < 2 && performance.now() < lastMs) {
    emptyTurns += 1;
    await turn();
  }
  // HTTP's own close destroys idle connections at once, and with them the requests that are on their way.
  Server.prototype.close.call(server);
}
