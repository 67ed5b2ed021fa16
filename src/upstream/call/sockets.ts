import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

/** The connections to the REST API, kept open between calls. */
export interface Sockets {
  readonly pool: Pool;
  /**
   * Whether the error of a call means a stale connection: one that had returned a response before, and nothing to this
   * call. The server had closed it, as servers do with idle connections, while the request was on its way.
   */
  wasStale(error: unknown): boolean;
}

/** How many bytes each connection had read when its latest request was sent. */
const readBefore = new WeakMap<object, number>();
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  readBefore.set(socket, socket.bytesRead);
});

/** Connects with the first call. */
export function createSockets(origin: string, connections: number, connectTimeoutMs: number): Sockets {
  const connect = buildConnector({ timeout: connectTimeoutMs });
  const staleErrors = new WeakSet<Error>();
  const pool = new Pool(origin, {
    connections,
    connect(options, callback) {
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        // Includes the TLS handshake.
        const handshakeBytes = socket.bytesRead;
        // Added before the listeners of the pool, which report the error to the call.
        socket.on('error', (socketError) => {
          const before = readBefore.get(socket) ?? 0;
          if (before > handshakeBytes && socket.bytesRead === before) staleErrors.add(socketError);
        });
        callback(null, socket);
      });
    },
  });
  return { pool, wasStale: (error) => error instanceof Error && staleErrors.has(error) };
}
