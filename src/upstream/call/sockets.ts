import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

/** The connections to the REST API, kept open between calls. */
export interface Sockets {
  readonly pool: Pool;
  /**
   * Whether an error that a call met is that of a connection which had answered before, and not this call: the server
   * closed it, as servers do with idle ones, and the call went out too late to know.
   */
  wasStale(error: unknown): boolean;
}

/** How much each connection had read when its latest call went out. */
const readBefore = new WeakMap<object, number>();
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  readBefore.set(socket, socket.bytesRead);
});

/** Connects when first asked. */
export function createSockets(origin: string, connections: number, connectTimeoutMs: number): Sockets {
  const connect = buildConnector({ timeout: connectTimeoutMs });
  const ofUsed = new WeakSet<Error>();
  const pool = new Pool(origin, {
    connections,
    connect(options, callback) {
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        // Of TLS, the handshake is read already.
        const atFirst = socket.bytesRead;
        // Before the pool's own listeners, which tell the call.
        socket.on('error', (broken) => {
          const before = readBefore.get(socket) ?? 0;
          if (before > atFirst && socket.bytesRead === before) ofUsed.add(broken);
        });
        callback(null, socket);
      });
    },
  });
  return { pool, wasStale: (error) => error instanceof Error && ofUsed.has(error) };
}
