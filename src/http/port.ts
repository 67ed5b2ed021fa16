import { once } from 'node:events';
import { type AddressInfo, Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { CoreConfig } from '../config/core.ts';

type Address = Pick<CoreConfig, 'host' | 'port'>;

/** Shortest time limit for accepting the connections in the backlog. */
const minAcceptMs = 1000;
/** The size of the backlog: Node's default for `listen`. */
const backlog = 511;

/** Opens a port, a free one for 0. Resolves to its URL, without a trailing slash; rejects if it is not available. */
export async function openPort(server: Server, { host, port }: Address): Promise<string> {
  await once(server.listen(port, host), 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}

/** Names the settings `PORT` and `HOST`, with this prefix, if the error is that of a port; else its message. */
export function portFault(error: unknown, { host, port }: Address, prefix = ''): string {
  const { message, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (syscall !== 'listen' && hostname !== host) return message;
  return `The port cannot be opened (${message}): check ${prefix}PORT=${port} and ${prefix}HOST=${host}`;
}

/**
 * Closes a port, and no connection. Accepts those in the backlog first, at most for `timeoutMs` or a second: closing the
 * port would reset them, and a restart lose their requests.
 */
export async function closePort(server: Server, timeoutMs: number): Promise<void> {
  const lastMs = performance.now() + Math.max(minAcceptMs, timeoutMs);
  let emptyTurns = 0;
  let accepted = 0;
  const onAccepted = () => {
    emptyTurns = 0;
    accepted += 1;
  };
  server.on('connection', onAccepted).on('drop', onAccepted);
  // Some versions of Node accept one connection per turn of the event loop. The first turn may be the rest of one.
  while (emptyTurns < 2 && accepted < backlog && performance.now() < lastMs) {
    emptyTurns += 1;
    await turn();
  }
  // `close` of an HTTP server destroys idle connections at once, and with them requests that are being sent.
  Server.prototype.close.call(server);
}
