import { once } from 'node:events';
import { type AddressInfo, Server } from 'node:net';

interface Address {
  host: string;
  /** 0: a free one. */
  port: number;
}

/** Opens a port. Resolves to its URL, without a trailing slash; rejects when the port is not available. */
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

/** Closes a port, and no connection: `close` of an HTTP server destroys idle ones, and requests that are being sent. */
export function closePort(server: Server): void {
  Server.prototype.close.call(server);
}
