import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Listening {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  /** Takes no more connections, lets requests at work finish and closes the others. */
  close(): Promise<void>;
}

/** Opens a port (0: a free one) for `listener`. Rejects when the port cannot be had. */
export function startServer(listener: RequestListener, host: string, port: number): Promise<Listening> {
  let closing = false;
  // Connections that have asked nothing yet: Node does not count them as idle.
  const silent = new Set<Socket>();
  // A request without a Host gets its answer from the listener, like one with a bad one.
  const server = createServer({ requireHostHeader: false }, (req, res) => {
    silent.delete(req.socket);
    res.once('close', () => closing && server.closeIdleConnections());
    listener(req, res);
  });
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  const close = () =>
    new Promise<void>((resolve, reject) => {
      closing = true;
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeIdleConnections();
      for (const socket of silent) socket.destroy();
    });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo;
      resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`, close });
    });
  });
}
